import FoundationEssentials
import Testing

/// The pages of the reference, which `make generate` writes.
@Suite struct ReferencePageTests {
    private static let folder =
        #filePath.dropLast("Tests/CommandSupportTests/Reference/PageTests.swift".count) + "Documentation/reference"

    @Test(arguments: ReferencePages.all.map(\.file)) func `A page is current`(file: String) throws {
        let text = try #require(ReferencePages.all.first { $0.file == file }?.text)
        let path = "\(Self.folder)/\(file)"
        if ProcessInfo.processInfo.environment["LUBDUB_WRITE"] != nil {
            try FileManager.default.createDirectory(atPath: String(Self.folder), withIntermediateDirectories: true)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        } else {
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text, "update it with make generate")
        }
    }

    @Test func `There are no other pages`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: String(Self.folder))
        let pages = files.filter { !$0.hasPrefix(".") }  // those are being written
        #expect(Set(pages) == Set(ReferencePages.all.map(\.file)))
    }
}
