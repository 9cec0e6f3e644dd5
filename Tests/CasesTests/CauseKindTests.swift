import Conformance
import Expectations
import Foundation
import ScenarioModel
import Testing

@testable import Cases
@testable import Clients

/// Each kind of cause has a client that shows it, and no fail of a faulty client is without a cause.
@Suite struct CauseKindTests {
    @Test(arguments: CauseExample.all)
    private func `A faulty client shows each kind of cause`(example: CauseExample) throws {
        let client: FaultyClient = try #require(example.client)
        let findings = try example.played().findings(client)
        let kinds = findings.flatMap { $0.why?.kinds ?? [] }
        #expect(kinds.contains(example.kind), "\(findings)")
    }

    @Test func `Each kind has an example, or a test elsewhere`() {
        let shown = CauseExample.all.map(\.kind) + CauseExample.elsewhere.map(\.kind)
        #expect(Set(shown).count == shown.count)
        #expect(Set(shown) == Set(CauseKind.allCases))
        #expect(CauseExample.all.count >= 25)
    }

    @Test func `The page of causes is current`() throws {
        let file = "\(FaultyCase.root)Documentation/causes.md"
        let text = CauseExample.page
        if ProcessInfo.processInfo.environment["LUBDUB_WRITE"] != nil {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text, "regenerate it with make generate")
    }

    // MARK: Every fail

    /// Those that are played in each run of the tests.
    private static let few = ["clients/comes_back", "clients/contact", "clients/several_rr", "recovery/handles_moved"]
    private static let isWhole = ["LUBDUB_WRITE", "LUBDUB_EVERYTHING"].contains {
        ProcessInfo.processInfo.environment[$0] != nil
    }

    /// Fails whose observation is the cause: it names the event that must not come.
    private static func explainsItself(_ expectation: ScenarioModel.Expectation?) -> Bool {
        if case .never(let event)? = expectation?.question { event.kind != .said } else { false }
    }

    /// Fails without a cause: the client, the case and the expectation, and why there is none.
    private static let unexplained: [(client: String, fail: String, why: String)] = []

    @Test(arguments: isWhole ? FaultyCase.ids() : few)
    func `No fail of a faulty client is without a cause`(id: String) throws {
        let played = try FaultyCase(id)
        for client in FaultyClient.all {
            for finding in try played.findings(client) where finding.verdict == .fail && finding.why?.cause == nil {
                let expectation = played.scenario.expectations.first { $0.id == finding.id }
                let isKnown = Self.unexplained.contains {
                    $0.client == client.name && $0.fail == "\(id) \(finding.id ?? "")"
                }
                if !isKnown, !Self.explainsItself(expectation) {
                    Issue.record("\(client.name) has no cause: \(id) \(finding.line)")
                }
            }
        }
    }
}
