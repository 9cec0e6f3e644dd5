import Documents
import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

@Suite struct RadioKindTests {
    /// Where the client's controller is not ours, what is known of a value is that it has left.
    @Test(
        arguments: [
            #""when": {"event": "delivered", "of": "heart_rate"}, "do": "silence""#,
            #""when": "1 s", "do": "silence", "until": {"event": "delivered", "of": "heart_rate"}"#,
        ])
    func `A wait for a delivery becomes a wait for the radio's best evidence of it`(rule: String) throws {
        let expectations = [
            #""expect": "seen", "event": "delivered", "since": "delivered", "within": "1 s""#,
            #""expect": "never", "event": "delivered", "until": "delivered""#,
            #""expect": "count", "event": "delivered", "min": 1"#,
            #""expect": "order", "events": ["connected", "delivered"]"#,
            #""expect": "rate", "event": "delivered", "per": "1 s", "min": 1"#,
            #""expect": "delay", "start": "delivered", "end": "delivered", "max": "1 s""#,
        ]
        let list = expectations.enumerated().map { "{\"id\": \"e\($0)\", \($1)}" }
        func scenario(_ text: String) throws -> Scenario {
            let text = """
                {"lubdub": 1, "name": "x", "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]}],
                 "script": [{\(rule)}], "expect": [\(list.joined(separator: ",\n"))]}
                """.replacing("delivered", with: text)
            let reading = ScenarioFile.read("x.json") { _ in Array(text.utf8) }
            return try #require(reading.scenario, "\(reading.problems)")
        }
        for radio in [RadioKind.rehearsal, .virtual, .system] {
            #expect(try scenario("delivered").observed(by: radio) == scenario("delivered"))
        }
        for radio in [RadioKind.controllers, .bluetoothd] {
            #expect(try scenario("delivered").observed(by: radio) == scenario("notified"))
        }
    }
}
