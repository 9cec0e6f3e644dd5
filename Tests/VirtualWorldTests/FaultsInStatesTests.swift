import ScenarioModel
import Testing

/// Every fault in every state of the connection.
@Suite struct FaultsInStatesTests {
    /// When a state has come: as `when` of a rule.
    private static let states: [(name: String, when: String)] = [
        ("idle", #""start""#),
        ("scanning", #"{"event": "scanning", "nth": 1, "after": "300 ms"}"#),
        ("connecting", #"{"event": "connecting", "nth": 1}"#),
        ("connected", #"{"event": "connected", "of": "strap", "nth": 1}"#),
        ("discovering", #"{"event": "discovering", "nth": 1}"#),
        ("subscribing", #"{"event": "discovered", "nth": 1}"#),
        ("streaming", #"{"event": "delivered", "of": "strap/heart_rate", "nth": 5}"#),
        ("reading", #"{"event": "read", "nth": 1}"#),
        ("writing", #"{"event": "subscribed", "nth": 1}"#),
        ("indicating", #"{"event": "indicated", "nth": 2}"#),
        ("waiting for a confirmation", #"{"event": "indicated", "nth": 2, "after": "1 ms"}"#),
        ("disconnecting", #"{"event": "began", "of": "leaves"}"#),
        ("away", #"{"event": "began", "of": "away", "after": "500 ms"}"#),
        ("lost", #"{"event": "disconnected", "of": "strap", "nth": 1}"#),
    ]

    /// What is done, for 3 s where it lasts.
    private static let faults = [
        #""do": "link_loss""#, #""do": "silence""#, #""do": "stop_advertising""#, #""do": "stall""#,
        #""do": "distance", "to": "120 m", "over": "1 s""#, #""do": "rssi", "to": -93"#, #""do": "loss", "rate": 0.6"#,
        #""do": "mtu", "to": 23"#, #""do": "att_error", "error": "unlikely_error""#,
        #""do": "att_error", "on": "subscribe", "error": "insufficient_resources""#,
        #""do": "att_error", "on": "discover", "error": 128"#, #""do": "delay", "by": "2 s""#, #""do": "drop""#,
        #""do": "duplicate""#, #""do": "reorder", "span": 3"#,
        #""do": "truncate", "of": "strap/heart_rate", "to": 0"#,
        #""do": "lengthen", "of": "strap/heart_rate", "with": "ffff""#,
        #""do": "burst", "of": "strap/heart_rate", "rate": "200 Hz""#, #""do": "drift", "ppm": 500"#,
        #""do": "power_off", "of": "client""#, #""do": "unconfirmed", "of": "client""#,
    ]
    private static let moments = [
        #""do": "disconnect""#, #""do": "raw", "of": "strap/heart_rate", "octets": "ffff""#,
        #""do": "raw", "of": "strap", "channel": "att", "octets": "ff""#,
        #""do": "raw", "of": "strap", "channel": "signalling", "octets": "120101""#,
        #""do": "notify", "of": "strap/heart_rate", "times": 200"#, #""do": "skip_time", "by": "1 day""#,
        #""do": "change_address""#, #""do": "move_handles", "by": 7, "announce": true"#,
        #""do": "change_services", "add": [{"service": "fitness", "steps": 7}]"#,
    ]

    private static func scenario(_ when: String, _ operation: String, lasts: Bool) throws -> Scenario {
        let name = operation.contains(#""of""#) ? "" : #", "of": "strap""#
        return try TestScenario(
            operation,
            """
            {"lubdub": 1, "name": "x", "limit": "60 s", "devices": [
              {"id": "strap", "advertise": {"services": ["180D"]}, "services": [
                {"service": "heart_rate", "rr_intervals": true, "value": 72},
                {"service": "health_thermometer", "period": "2 s", "value": 36.6}, {"service": "battery", "value": 50}]}],
             "script": [
               {"id": "leaves", "when": "15 s", "do": "disconnect", "of": "strap"},
               {"id": "away", "when": "25 s", "do": "link_loss", "of": "strap", "for": "2 s"},
               {"id": "it", "when": \(when), \(operation)\(name)\(lasts ? #", "for": "3 s""# : "")}]}
            """
        ).scenario
    }

    @Test(arguments: states.map(\.name))
    func `The client is back after every fault`(state: String) throws {
        let when = try #require(Self.states.first { $0.name == state }?.when)
        for (operations, lasts) in [(Self.faults, true), (Self.moments, false)] {
            for operation in operations {
                let fault = try BadDay.fault(in: try Self.scenario(when, operation, lasts: lasts), seed: 1)
                #expect(fault == nil, "\(operation) while \(state): \(fault ?? "")")
            }
        }
    }
}
