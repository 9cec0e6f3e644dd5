import ScenarioLanguage
import Scenarios
import Testing

@testable import Drivers

@Suite struct BlueZLimitsTests {
    @Test(
        arguments: [
            ("", "", []),
            (#", "link": {"latency": 4}"#, "", ["devices[0].link"]),
            (
                #", "advertise": {"fast": {"interval": "20 ms", "for": "30 s"}, "slow": {"interval": "1 s"}}"#, "",
                ["devices[0].advertise.slow", "devices[0].advertise.fast.for"]
            ),
            (#", "security": {"io": "display_only"}"#, "", []),
            (#", "security": {"io": "display_only", "passkey": 7}"#, "", ["devices[0].security.passkey"]),
            (
                "",
                #"""
                {"when": "1 s", "do": "disconnect", "of": "strap"},
                {"when": "2 s", "do": "disconnect", "of": "strap", "reason": 19},
                {"when": "3 s", "do": "disconnect", "of": "strap", "reason": "remote_user_terminated_connection"},
                {"when": "4 s", "do": "disconnect", "of": "strap", "reason": "remote_device_terminated_connection_due_to_low_resources"}
                """#, ["script[3].reason"]
            ),
        ] as [(String, String, [String])])
    func `Settings that bluetoothd controls are named by their path`(
        more: String, script: String, paths: [String]
    ) throws {
        let text =
            #"{"lubdub": 1, "name": "x", "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]\#(more)}], "#
            + #""script": [\#(script)]}"#
        let reading = ScenarioFile.read("x.json") { _ in Array(text.utf8) }
        #expect(reading.problems.isEmpty, "\(reading.problems)")
        let scenario = try #require(reading.scenario)
        #expect(scenario.unplayedByBluetoothd == paths)
    }
}
