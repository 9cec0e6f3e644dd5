import FoundationEssentials
import Testing

@testable import CommandLineTool

@Suite struct OutputSchemaTests {
    @Test(arguments: OutputSchemas.all.map(\.name)) func `The committed schema is up to date`(name: String) throws {
        let schema = try #require(OutputSchemas.all.first { $0.name == name }?.schema)
        let root = String(#filePath.dropLast("Tests/CommandLineToolTests/OutputSchemaTests.swift".count))
        let path = "\(root)schema/\(name).schema.json"
        if ProcessInfo.processInfo.environment["LUBDUB_WRITE"] != nil {
            try Data(schema.utf8).write(to: URL(filePath: path))
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == schema)
    }
}
