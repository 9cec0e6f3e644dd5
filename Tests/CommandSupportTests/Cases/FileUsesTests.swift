import Basics
import Documents
import FoundationEssentials
import Glibc
import Linux
import ScenarioLanguage
import Testing

@testable import Cases
@testable import CommandSupport

/// No file is written that is read, or twice, whatever its path.
@Suite final class FileUsesTests {
    private let folder: String

    init() throws {
        var template = Array("/tmp/lubdub-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
        let isMade = unsafe mkdtemp(&template) != nil
        try #require(isMade)
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for name in ["sub", "other"] { unsafe mkdir("\(folder)/\(name)", 0o755) }
        for name in ["a", "sub/b"] { try "x".write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8) }
        unsafe link("\(folder)/a", "\(folder)/hard")
        for (target, name) in [
            ("a", "soft"), ("../a", "sub/soft"), ("\(folder)/a", "whole"), ("sub", "way"), ("new", "dangling"),
            ("dangling", "other/chain"), ("../dangling", "sub/chain"), ("loop", "loop"),
        ] {
            unsafe symlink(target, "\(folder)/\(name)")
        }
        unsafe mkfifo("\(folder)/fifo", 0o644)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func isRefused(_ one: String, _ other: String) -> Bool {
        func path(_ name: String) -> String { name.hasPrefix("/") || name == "-" ? name : "\(folder)/\(name)" }
        var (written, read) = (FileUses(reading: []), FileUses(reading: [path(one)]))
        let again =
            (try? written.write(path(one), "--events")) == nil || (try? written.write(path(other), "--trace")) == nil
        let over = (try? read.write(path(other), "--events")) == nil
        #expect(again == over)
        return again
    }

    @Test(arguments: [
        ("a", "a"), ("a", "./a"), ("a", "sub/../a"), ("a", "hard"), ("a", "soft"), ("a", "sub/soft"), ("soft", "whole"),
        ("sub/b", "way/b"), ("a", "way/soft"), ("a", "way/../a"),
        ("new", "new"), ("new", "NEW"), ("new", "other/../new"), ("new", "dangling"), ("new", "sub/chain"),
        ("sub/new", "way/new"), ("none/new", "none/new"), ("none/new", "none/./new"), ("none/x/new", "None/y/../x/new"),
        ("a", "none/../a"), ("none/new", "way/../none/new"),
    ])
    func `One file is one file`(one: String, other: String) { #expect(isRefused(one, other)) }

    @Test(arguments: [
        ("a", "sub/b"), ("a", "A/a"), ("new", "sub/new"), ("new", "newer"), ("none/new", "new"), ("none/a", "a"),
        ("none/new", "other/new"), ("new", "other/chain"),
        ("fifo", "fifo"), ("-", "-"), ("/dev/null", "/dev/null"), ("/dev/full", "/dev/full"),
        ("/dev/stderr", "/dev/stderr"),
        ("/proc/self/fd/1", "/proc/self/fd/1"), ("sub", "sub"),
    ])
    func `Others may be written both`(one: String, other: String) { #expect(!isRefused(one, other)) }

    /// Also the file behind several links is the one that is locked and replaced, and the links stay.
    @Test(arguments: ["dangling", "other/../dangling", "sub/chain", "way/chain", "new"])
    func `All links to a missing file are followed`(name: String) throws {
        #expect(resolvedPath("\(folder)/\(name)") == resolvedPath(folder) + "/new")
        let file = try WholeFile("\(folder)/\(name)")
        try file.write("it")
        #expect(linkTarget("\(folder)/dangling") == "new")
        #expect(linkTarget("\(folder)/sub/chain") == "../dangling")
        #expect(try String(contentsOfFile: "\(folder)/new", encoding: .utf8) == "it")
    }

    /// A file is read more than once, and a pipe cannot be.
    @Test(arguments: ["/dev/fd/63", "/proc/self/fd/63"])
    func `Who names a pipe as scenario learns what to do`(path: String) {
        let problem = ScenarioFile.read(path) { _ in nil }.problems.first
        #expect(problem?.code == .unreadable)
        #expect(problem?.help?.contains("to a file first") == true)
        #expect(ScenarioFile.read("none.json") { _ in nil }.problems.first?.help == nil)
    }

    @Test func `The message names the options and the paths`() throws {
        var uses = FileUses(reading: ["\(folder)/a"])
        let over = #expect(throws: Obstacle.self) { try uses.write("\(folder)/soft", "--events") }
        #expect(over?.code == .usage)
        let path = "\"\(folder)/soft\""
        #expect(over?.description == "--events would overwrite \(path), which this command reads: choose another file")
        try uses.write("/nowhere/a", "--events")
        let twice = #expect(throws: Obstacle.self) { try uses.write("/nowhere//A", "--report") }
        let problem = #"--events and --report name the same file: "/nowhere/a" and "/nowhere//A""#
        #expect(twice?.description == "\(problem) (choose another for one of them)")
    }

    @Test func `An impossible path does not hang`() {
        for path in [String(repeating: "a/", count: 60_000), String(repeating: "x", count: 5000), "", "loop", "loop/x"]
        {
            _ = FilePlace(path)
        }
    }
}
