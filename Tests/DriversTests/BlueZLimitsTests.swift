import ScenarioLanguage
import ScenarioModel
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
                #", "security": {"mitm": true, "secure_connections": "required", "key_size": 8, "bonds": 2}"#, "",
                ["mitm", "secure_connections", "key_size", "bonds"].map { "devices[0].security.\($0)" }
            ),
            (#", "security": {"privacy": true}"#, "", ["devices[0].security.privacy"]),
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

    private static func scenario(_ services: String) throws -> Scenario {
        let text =
            #"{"lubdub": 1, "name": "x", "devices": [{"id": "strap", "services": [{"service": "battery"}, \#(services)]}]}"#
        let reading = ScenarioFile.read("x.json") { _ in Array(text.utf8) }
        #expect(reading.problems.isEmpty, "\(reading.problems)")
        return try #require(reading.scenario)
    }

    @Test func `Handles, places and undeclared permissions are bluetoothd's`() throws {
        let scenario = try Self.scenario(
            #"""
            {"service": "custom", "uuid": "1815", "handle": 30, "includes": ["battery", "late"], "characteristics": [
              {"uuid": "2A58", "properties": ["write", "notify"], "permissions": {"read": true}, "handle": 40,
               "declaration_handle": 36, "descriptors": [{"uuid": "2901", "value": "x", "handle": 50}, {"uuid": "2902"}]}]},
            {"service": "custom", "id": "late", "uuid": "1816", "characteristics": []}
            """#)
        let keys = [
            "declaration_handle", "handle", "permissions", "descriptors[0].handle", "descriptors[1]",
        ].map { "characteristics[0].\($0)" }
        #expect(
            scenario.unplayedByBluetoothd == (["handle", "includes"] + keys).map { "devices[0].services[1].\($0)" })
        #expect(scenario.impossibleForBluetoothd == nil)
    }

    @Test(
        arguments: [
            (
                #"{"uuid": "2A58", "properties": []}"#,
                "devices[0].services[1].characteristics[0]: it requires a property; "
            ),
            (
                #"{"uuid": "2A58", "properties": ["read"], "descriptors": [{"uuid": "2901", "value": "x", "permissions": {"read": false}}]}"#,
                "devices[0].services[1].characteristics[0].descriptors[0]: it requires permission to read or to write; "
            ),
        ])
    func `A device that bluetoothd rejects is refused with the reason`(characteristic: String, why: String) throws {
        let scenario = try Self.scenario(
            #"{"service": "custom", "uuid": "1815", "characteristics": [\#(characteristic)]}"#)
        #expect(scenario.impossibleForBluetoothd?.hasPrefix("bluetoothd cannot serve \(why)") == true)
    }
}
