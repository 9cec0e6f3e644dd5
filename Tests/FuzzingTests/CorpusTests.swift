import FoundationEssentials
import Testing

/// Each reader reads its corpus, and the octets that once broke it.
@Suite struct CorpusTests {
    private static let root = String(#filePath.dropLast("/CorpusTests.swift".count))

    /// The files of a reader in `Corpus` or `Crashes`.
    static func files(of reader: Reader, in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)/\(reader.name)")) ?? []
        return names.sorted().map { "\(root)/\(folder)/\(reader.name)/\($0)" }
    }

    @Test(arguments: Reader.all.map(\.name)) func `Everything holds`(name: String) throws {
        let reader = try #require(Reader.all.first { $0.name == name })
        let files = ["Corpus", "Crashes"].flatMap { Self.files(of: reader, in: $0) }
        #expect(!files.isEmpty)
        for file in files {
            let octets = Array(try Data(contentsOf: URL(filePath: file)))
            #expect(throws: Never.self, "\(file)") { try reader.read(octets) }
            for count in 0..<min(octets.count, 16) {
                #expect(throws: Never.self, "\(file), \(count) octets") { try reader.read(Array(octets[..<count])) }
            }
        }
    }

    @Test func `Names are unique, and each folder belongs to a reader`() throws {
        let names = Set(Reader.all.map(\.name))
        #expect(names.count == Reader.all.count)
        for folder in ["Corpus", "Crashes"] {
            let folders = (try? FileManager.default.contentsOfDirectory(atPath: "\(Self.root)/\(folder)")) ?? []
            #expect(names.isSuperset(of: folders), "\(folder)")
        }
    }
}
