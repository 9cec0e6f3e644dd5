import Documents
import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

@Suite struct RadioKindTests {
    private static func scenario(_ script: String) throws -> Scenario {
        let text = """
            {"lubdub": 1, "name": "x", "devices": [{"id": "strap", "security": {}, "services": [{"service": "heart_rate"}]}],
             "script": [\(script)]}
            """
        let reading = ScenarioFile.read("x.json") { _ in Array(text.utf8) }
        #expect(reading.problems.isEmpty, "\(reading.problems)")
        return try #require(reading.scenario)
    }

    @Test(
        arguments: [
            (#""do": "link_loss""#, [.rehearsal, .virtual, .controllers]),
            (#""do": "forget_bond""#, [.rehearsal, .virtual, .controllers, .bluetoothd]),
            (#""do": "forget_bond", "side": "both""#, [.rehearsal]),
            (#""do": "refuse_pairing", "reason": 8"#, [.rehearsal, .virtual, .controllers]),
            (#""do": "stall_pairing", "at": "confirm""#, [.rehearsal, .virtual, .controllers]),
            (#""do": "alter_pairing", "at": "random""#, [.rehearsal, .virtual, .controllers]),
            (#""do": "wrong_key""#, [.rehearsal, .virtual, .controllers]),
            (#""do": "request_security""#, [.rehearsal, .virtual, .controllers]),
            (#""do": "user", "of": "client", "answers": "never""#, [.rehearsal]),
            (#""do": "user", "of": "strap", "answers": "wrong""#, [.rehearsal, .virtual]),
            (#""do": "distance", "to": "3 m""#, [.rehearsal, .virtual, .controllers]),
            (#""do": "rssi", "to": -90"#, [.rehearsal, .virtual, .controllers]),
            (#""do": "loss", "rate": 0.5"#, [.rehearsal, .virtual]),
            (#""do": "power_off", "of": "client""#, [.rehearsal, .virtual]),
            (#""do": "silence""#, [.rehearsal, .virtual, .controllers, .bluetoothd]),
            (#""do": "disconnect", "reason": 19"#, [.rehearsal, .virtual, .controllers, .bluetoothd]),
        ] as [(String, [RadioKind])])
    func `Rules that a radio cannot play never fire`(
        action: String, radios: [RadioKind]
    ) throws {
        let scenario = try Self.scenario(#"{"id": "it", "when": "1 s", \#(action)}, {"when": "2 s", "do": "silence"}"#)
        for radio in [RadioKind.rehearsal, .virtual, .controllers, .bluetoothd] {
            let isPlayed = radios.contains(radio)
            #expect(scenario.unplayable(on: radio).map(\.rule) == (isPlayed ? [] : [0]), "\(radio)")
            #expect(scenario.limited(to: radio).script.map(\.chance) == [isPlayed ? 1 : 0, 1], "\(radio)")
        }
    }

    @Test(
        arguments: [
            (#""do": "distance", "to": "3 m""#, true), (#""do": "rssi", "to": -90"#, true),
            (#""do": "loss", "rate": 0.5"#, false), (#""do": "link_loss""#, false),
        ] as [(String, Bool)])
    func `A controller plays the power of advertising only`(action: String, isInPart: Bool) throws {
        let rule = try #require(try Self.scenario(#"{"when": "1 s", \#(action)}"#).script.first)
        for radio in RadioKind.allCases {
            #expect((radio.missingPart(of: rule.action) != nil) == (isInPart && radio == .controllers))
        }
    }

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
        for radio in [RadioKind.rehearsal, .virtual] {
            #expect(try scenario("delivered").observed(by: radio) == scenario("delivered"))
        }
        for radio in [RadioKind.controllers, .bluetoothd] {
            #expect(try scenario("delivered").observed(by: radio) == scenario("notified"))
        }
    }
}
