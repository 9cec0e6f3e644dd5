import Basics
import Documents
import ScenarioLanguage
import Testing

@testable import ScenarioModel
@testable import VirtualWorld

/// What the hosts of the devices declare.
@Suite struct ReachTests {
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
            (#""do": "link_loss""#, [.rehearsal, .virtual, .system, .controllers]),
            (#""do": "forget_bond""#, [.rehearsal, .virtual, .system, .controllers, .bluetoothd]),
            (#""do": "forget_bond", "side": "both""#, [.rehearsal]),
            (#""do": "refuse_pairing", "reason": 8"#, [.rehearsal, .virtual, .system, .controllers]),
            (#""do": "stall_pairing", "at": "confirm""#, [.rehearsal, .virtual, .system, .controllers]),
            (#""do": "alter_pairing", "at": "random""#, [.rehearsal, .virtual, .system, .controllers]),
            (#""do": "wrong_key""#, [.rehearsal, .virtual, .system, .controllers]),
            (#""do": "request_security""#, [.rehearsal, .virtual, .system, .controllers]),
            (#""do": "user", "of": "client", "answers": "never""#, [.rehearsal]),
            (#""do": "user", "of": "strap", "answers": "wrong""#, [.rehearsal, .virtual, .system, .controllers]),
            (#""do": "change_address""#, [.rehearsal, .virtual, .system, .controllers]),
            (#""do": "change_address", "to": "00:11:22:33:44:55/public""#, [.rehearsal, .virtual, .system]),
            (#""do": "unconfirmed", "of": "client""#, [.rehearsal]),
            (#""do": "distance", "to": "3 m""#, [.rehearsal, .virtual, .system, .controllers]),
            (#""do": "rssi", "to": -90"#, [.rehearsal, .virtual, .system, .controllers]),
            (#""do": "loss", "rate": 0.5"#, [.rehearsal, .virtual, .system]),
            (#""do": "power_off", "of": "client""#, [.rehearsal, .virtual, .system]),
            (#""do": "silence""#, [.rehearsal, .virtual, .system, .controllers, .bluetoothd]),
            (#""do": "daemon_away""#, [.system]), (#""do": "connect_aborts", "of": "strap""#, [.system]),
            (#""do": "disconnect", "reason": 19"#, [.rehearsal, .virtual, .system, .controllers, .bluetoothd]),
        ] as [(String, [RadioKind])])
    func `Rules that a radio cannot play never fire`(
        action: String, radios: [RadioKind]
    ) throws {
        let scenario = try Self.scenario(#"{"id": "it", "when": "1 s", \#(action)}, {"when": "2 s", "do": "silence"}"#)
        for radio in RadioKind.allCases {
            let isPlayed = radios.contains(radio)
            #expect(scenario.unplayable(on: radio).map(\.rule) == (isPlayed ? [] : [0]), "\(radio)")
            var world = try World(scenario, seed: 1)
            world.placeDevices(on: radio)
            if radio == .rehearsal { _ = try world.addClient(at: .start) }
            world.start()
            world.run(until: Instant(nanoseconds: 1_500_000_000))
            #expect(world.status.activeActions.isEmpty || isPlayed, "\(radio)")
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
}
