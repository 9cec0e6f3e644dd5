import FoundationEssentials
import Glibc
import Linux
import Testing

@Suite struct FileReadingTests {
    private static let folder = FileManager.default.temporaryDirectory.path + "/lubdub-reading-\(getpid())"

    @Test(arguments: [
        ("none", "No such file or directory", nil), ("folder", "it is a folder", "name a file in it"),
        ("pipe", "it is a pipe or a device", "save what it sends to a file first"),
    ])
    func `A path that cannot be read has a reason, and a fix if there is one`(
        name: String, why: String, fix: String?
    ) throws {
        let folder = "\(Self.folder)-\(name)"
        try FileManager.default.createDirectory(atPath: "\(folder)/folder", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = unsafe mkfifo("\(folder)/pipe", 0o600)
        #expect(made == 0)
        let path = "\(folder)/\(name)"
        #expect(contents(of: path) == nil)
        let reason = readingFailure(of: path)
        #expect(reason.why == why)
        #expect(reason.fix == fix)
    }
}
