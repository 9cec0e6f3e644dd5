import Glibc
import Linux
import Testing

@testable import Cases

@Suite struct ProcessTreeTests {
    @Test func `Descendants are found with and without the kernel's lists`() throws {
        // Its name looks like the end of a line of /proc/PID/stat.
        let name = "sh) S 1 (x"
        let child = try ChildProcess(
            "/bin/sh", ["-c", "cp /bin/sleep \"$0\"; \"$0\" 60 & echo $! $$; wait", "/tmp/\(getpid()) \(name)"])
        defer { unsafe unlink("/tmp/\(getpid()) \(name)") }
        let words = (child.line() ?? "").split(separator: " ").compactMap { pid_t($0) }
        try #require(words.count == 2)
        defer { kill(words[0], SIGKILL) }
        for hasLists in [true, false] {
            #expect(descendants(of: words[1], hasLists: hasLists) == [words[0]])
            #expect(Set(descendants(of: getpid(), hasLists: hasLists)).isSuperset(of: words))
        }
        #expect(descendants(of: words[0], hasLists: false) == [])
    }
}
