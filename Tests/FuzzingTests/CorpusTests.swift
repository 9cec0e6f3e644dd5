import Basics
import FoundationEssentials
import Fuzzing
import ScenarioModel
import Testing

/// Each reader reads its corpus, and the octets that once broke it: a line of hexadecimal digits per input.
@Suite struct CorpusTests {
    private static let root = String(#filePath.dropLast("/CorpusTests.swift".count))

    /// The octets of each line of a file in `Corpus` or `Crashes`, and the texts between the lines `----` of a file with texts.
    private static func inputs(of reader: Reader, in folder: String) throws -> [[UInt8]] {
        let path = "\(root)/\(folder)/\(reader.name)"
        let lines = try contents(of: "\(path).hex").split(separator: "\n").map { line in
            try #require(Value.octets(of: String(line)), "\(path): \(line)")
        }
        return lines + (try contents(of: "\(path).txt")).split(separator: "----\n").map { Array($0.utf8) }
    }

    /// Empty if there is no such file.
    private static func contents(of path: String) throws -> String {
        FileManager.default.fileExists(atPath: path) ? try String(contentsOfFile: path, encoding: .utf8) : ""
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

    @Test func `Each reader has a codec, whose files exist`() throws {
        let rows = try Self.contents(of: "\(Self.root)/Codecs.txt").split(separator: "\n").filter { !$0.hasPrefix("#") }
        let codecs = rows.map { $0.split(separator: " ").map(String.init) }
        #expect(Set(codecs.map { String($0[0].dropLast()) }) == Set(Reader.all.map(\.name)))
        for path in codecs.flatMap({ $0.dropFirst() }) {
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            let file = path.contains("*") ? folder : path
            #expect(FileManager.default.fileExists(atPath: "\(Self.root)/../../Sources/\(file)"), "\(path)")
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
