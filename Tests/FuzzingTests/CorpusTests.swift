import FoundationEssentials
import Octets
import Scenarios
import Testing

/// Each reader reads its corpus, and the octets that once broke it: a line of hexadecimal digits per input.
@Suite struct CorpusTests {
    private static let root = String(#filePath.dropLast("/CorpusTests.swift".count))

    /// The octets of each line of a file in `Corpus` or `Crashes`.
    private static func inputs(of reader: Reader, in folder: String) throws -> [[UInt8]] {
        let path = "\(root)/\(folder)/\(reader.name).hex"
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
            try #require(Value.octets(of: String(line)), "\(path): \(line)")
        }
    }

    @Test(arguments: Reader.all.map(\.name)) func `Everything holds`(name: String) throws {
        let reader = try #require(Reader.all.first { $0.name == name })
        let inputs = try ["Corpus", "Crashes"].flatMap { try Self.inputs(of: reader, in: $0) }
        #expect(!inputs.isEmpty)
        for octets in inputs {
            for count in Array(0..<min(octets.count, 16)) + [octets.count] {
                let input = Array(octets[..<count])
                #expect(throws: Never.self, "\(input.hex)") { try reader.read(input) }
            }
        }
    }

    @Test func `Names are unique, and each file belongs to a reader`() throws {
        let names = Set(Reader.all.map(\.name))
        #expect(names.count == Reader.all.count)
        for folder in ["Corpus", "Crashes"] {
            let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(Self.root)/\(folder)")) ?? []
            #expect(files.allSatisfy { names.contains(String($0.dropLast(".hex".count))) }, "\(folder)")
        }
    }
}
