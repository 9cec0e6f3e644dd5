import FoundationEssentials
import Glibc
import Linux
import Testing

@Suite struct FileStatesTests {
    private let folder = "/tmp/lubdub-\(getpid())-states-\(UInt32.random(in: 0 ... .max))"
    private let files = FileManager.default

    /// The paths that `change` changes, below a folder with one scenario; both are watched.
    private func changes(_ change: (String) throws -> Void) throws -> [String] {
        let path = "\(folder)/a.json"
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: folder) }
        try write("first", to: path)
        let output = "\(folder)/out.json"
        let before = FileStates(of: [folder, path, path, output], besides: [output])
        #expect(before == FileStates(of: [path, folder], besides: [output]))
        #expect(before.files == 1)
        try change(path)
        return FileStates(of: [folder, path], besides: [output]).changes(since: before).map {
            $0.replacing(folder, with: "")
        }
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    @Test func `A write, a replacement and a removal are changes`() throws {
        let written = try changes { try write("longer text", to: $0) }
        #expect(written == ["/a.json"])
        let replaced = try changes { path in
            try write("other", to: path + "~")
            unsafe rename(path + "~", path)
        }
        #expect(replaced == ["/a.json"])
        let removed = try changes { path in unsafe unlink(path) }
        #expect(removed == ["", "/a.json"])
    }

    @Test(arguments: [
        ("b.json", [""]), ("running", [""]), (".a.json.swp", []), ("a.json~", []), ("rates.csv", []), ("out.json", []),
    ])
    func `A scenario or a folder that comes into a folder is a change`(name: String, changed: [String]) throws {
        let changes = try changes { path in try write("{}", to: path.replacing("a.json", with: name)) }
        #expect(changes == changed)
    }

    @Test func `A file that is read or missing does not change`() throws {
        let read = try changes { path in _ = contents(of: path) }
        #expect(read.isEmpty)
        #expect(FileStates(of: ["/nowhere/a"]).changes(since: FileStates(of: ["/nowhere/a"])) == [])
    }
}
