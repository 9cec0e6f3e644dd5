import Documents
import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

/// The files of `Broken`: each has one problem, and its note has the place, code and path.  `Tests/Interoperability`
/// has them checked by the schema too.
@Suite struct BrokenTests {
    static let files = Files.names("Tests/ScenarioLanguageTests/Broken")

    @Test func `There are broken files`() { #expect(Self.files.count > 70) }

    @Test(arguments: files) func `A broken file has one problem, at the place in its note`(path: String) throws {
        let octets = try #require(Files.octets(path))
        let members = try Node(json: octets, file: path).members
        guard case .string(let note)? = members.first(where: { $0.key == "note" })?.node.value else {
            Issue.record("no note")
            return
        }
        let problems = Files.read(path).problems.map(\.description)
        #expect(problems.count == 1 && problems[0].hasPrefix("\(path):\(note)"), "\(problems)")
    }
}

extension Node {
    fileprivate var members: [Node.Member] { if case .object(let members) = value { members } else { [] } }
}
