import Basics
import Clients
import Expectations
import ScenarioModel
import Testing
import VirtualWorld

/// What the built-in client makes of attributes that change, in every state that it can be in.
@Suite struct AttributeRecoveryTests {
    static let states = [
        #""start""#, #"{"event": "connecting"}"#, #"{"event": "connected"}"#, #"{"event": "mtu"}"#,
        #"{"event": "discovering", "nth": 1}"#, #"{"event": "discovering", "nth": 1, "after": "150 ms"}"#,
        #"{"event": "discovering", "nth": 1, "after": "400 ms"}"#,
        #"{"event": "discovering", "nth": 1, "after": "900 ms"}"#, #"{"event": "discovered", "nth": 1}"#,
        #"{"event": "read", "nth": 1}"#, #"{"event": "subscribed", "nth": 1}"#, #"{"event": "subscribed", "nth": 3}"#,
        #"{"event": "notified", "nth": 1}"#, #"{"event": "indicated", "nth": 2}"#,
        #"{"event": "discovering", "nth": 2}"#, #"{"event": "discovering", "nth": 2, "after": "300 ms"}"#,
        #"{"event": "subscribed", "of": "heart_rate", "nth": 2}"#, #""20 s""#,
    ]

    static let operations = [
        #""do": "move_handles", "by": 16"#, #""do": "move_handles", "by": 1"#,
        #""do": "change_services", "add": [{"service": "fitness", "steps": 5}], "remove": ["battery"]"#,
        #""do": "change_services", "remove": ["health_thermometer"]"#,
    ]

    /// The first change comes at 15 s, so that there is a second discovery for another to fall into.
    private static func play(_ operation: String, when: String) -> TestScenario {
        TestScenario(
            "changes",
            """
            {"lubdub": 1, "name": "x", "limit": "80 s", "devices": [
              {"id": "strap", "advertise": {"services": ["180D"]}, "services": [
                {"service": "heart_rate", "value": 62, "location": "chest"},
                {"service": "health_thermometer", "period": "2 s", "value": 36.6},
                {"service": "battery", "value": 50}]}],
             "script": [{"when": "15 s", "do": "move_handles", "by": 40}, {"when": \(when), \(operation)}]}
            """)
    }

    @Test(arguments: states) func `The client recovers after an announced change`(state: String) throws {
        for operation in Self.operations {
            let harness = try WorldHarness(Self.play(operation, when: state).scenario)
            let beats = harness.records(.delivered, of: "strap/heart_rate").map(\.instant)
            let begun = harness.records(.began).map(\.instant)
            #expect(begun.count == 2, "\(operation)")
            let end = Instant.start.advanced(by: .seconds(80))
            #expect(beats.count { $0 > end.advanced(by: .seconds(-30)) } > 27, "\(operation)")
            let said = harness.said.filter { $0.update.json.contains("bpm") }
            // It ignores notifications while it discovers again: the handle may belong to another attribute.
            #expect(said.count >= beats.count - 4, "\(operation)")
            guard operation == Self.operations[0] else { continue }
            let again = try WorldHarness(Self.play(operation, when: state).scenario, sleeps: false)
            #expect(firstDifference(harness.lines, again.lines) == nil)
        }
    }

    private func isFault(_ said: WorldHarness.Said) -> Bool {
        if case .error = said.update.content { true } else { false }
    }

    @Test func `The language's example is passed`() throws {
        let play = TestScenario("Tests/ScenarioLanguageTests/Fixtures/11-unconfirmed-and-changed.json")
        let harness = try WorldHarness(play.scenario, isJudged: true)
        let verdicts = harness.world.rulings.map(\.verdict)
        #expect(verdicts == [.pass, .pass, .pass], "\(harness.world.rulings)")
        #expect(!harness.said.contains(where: isFault))
    }
}
