import FoundationEssentials
import Glibc
import Linux
import Testing

@Suite struct OutputFileTests {
    private static func path(_ name: String) -> String { "/tmp/lubdub-\(getpid())-\(name)" }

    /// Reads and removes the file at `path`.
    private static func take(_ path: String) throws -> [UInt8] {
        defer { unsafe unlink(path) }
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    @Test func `Output longer than the buffer arrives in order`() throws {
        let path = Self.path("long")
        let file = try OutputFile(path)
        let octets = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        for start in stride(from: 0, to: octets.count, by: 1000) { file.write(octets[start..<start + 1000]) }
        file.write([1])
        file.flush()
        #expect(file.failure == nil)
        try file.close()
        try file.close()
        #expect(try Self.take(path) == octets + [1])
    }

    @Test func `A full disk is reported once, with its reason`() throws {
        let file = try OutputFile("/dev/full")
        file.write([1, 2, 3])
        #expect(file.failure == nil)
        file.flush()
        file.write([UInt8](repeating: 0, count: 1 << 20)[...])
        let error = #expect(throws: OutputFailure.self) { try file.close() }
        #expect(error?.description == "cannot write \"/dev/full\": No space left on device")
    }

    @Test func `A file that cannot be created is an error`() {
        let error = #expect(throws: OutputFailure.self) { _ = try OutputFile("/nowhere/a.json") }
        #expect(error?.description == "cannot write \"/nowhere/a.json\": No such file or directory")
    }

    /// The name of the file that replaces it is not longer than a name can be.
    @Test(arguments: [String(repeating: "n", count: 255), String(repeating: "é", count: 127), "a"])
    func `A whole file can have any name`(name: String) throws {
        let folder = Self.path("names-\(name.utf8.count)")
        unsafe mkdir(folder, 0o700)
        defer { unsafe rmdir(folder) }
        let path = "\(folder)/\(name)"
        for octets in [[1, 2, 3], [4]] as [[UInt8]] {
            _ = try WholeFile(path)
            let file = try OutputFile(path, isWhole: true)
            file.write(octets[...])
            #expect(folderEntries(folder).count(where: { $0 != name }) == 1, "it is not written in place")
            try file.close()
            #expect(folderEntries(folder) == [name])
        }
        #expect(try Self.take(path) == [4])
    }

    @Test(arguments: ["", "/tmp", "/tmp/", "/tmp/lubdub-none/"])
    func `The path of a folder or of nothing cannot be a whole file`(
        path: String
    ) {
        #expect(throws: OutputFailure.self) { try WholeFile(path) }
        #expect(throws: OutputFailure.self) { try OutputFile(path, isWhole: true) }
        #expect(!exists("lubdub-none"))
    }

    @Test func `A whole file that is abandoned leaves the old one`() throws {
        let path = Self.path("kept")
        let old = try OutputFile(path)
        old.write([1, 2, 3])
        try old.close()
        do {
            let new = try OutputFile(path, isWhole: true)
            new.write([4])
        }
        #expect(try Self.take(path) == [1, 2, 3])
    }
}
