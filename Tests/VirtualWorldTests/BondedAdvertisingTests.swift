import Basics
import Bluetooth
import ScenarioModel
import Testing
import VirtualWorld

/// Devices that let only bonded clients connect, or call the one that they have bonded with.
@Suite struct BondedAdvertisingTests {
    private static func play(
        _ advertise: String, bonded: Bool, _ script: String = "", security: String = ""
    ) throws -> WorldHarness {
        try WorldHarness(
            TestScenario(
                "bonded",
                """
                {"lubdub": 1, "name": "x", "limit": "60 s", "devices": [
                  {"id": "strap", "advertise": {"services": ["180D"], \(advertise)},
                   "security": {"io": "none", "bonded": \(bonded)\(security)},
                   "services": [{"service": "heart_rate", "permissions": ["encrypted"], "value": 72}]},
                  {"id": "phone", "role": "central"}],
                 "script": [\(script)]}
                """
            ).scenario)
    }

    private static let leavesAndIsCalled = """
        {"when": "20 s", "do": "disconnect", "of": "strap"},
        {"when": {"event": "disconnected", "of": "strap", "nth": 1}, "do": "connect", "of": "phone", "to": "strap"}
        """

    /// Whether the device and the client have a bond from the start, or pair in their first connection.
    @Test(arguments: [true, false]) func `Only bonded clients connect`(bonded: Bool) throws {
        var harness = try Self.play(#""only_bonded": true"#, bonded: bonded, Self.leavesAndIsCalled)
        #expect(harness.records(.paired).count == (bonded ? 0 : 1))
        #expect(harness.records(.connecting, of: "phone").count == 1)
        #expect(harness.records(.connected, of: "phone").isEmpty, "a stranger does not get in")
        let connected = harness.records(.connected, of: "strap")
        #expect(connected.map(\.peer) == [harness.clientAddress, harness.clientAddress])
        #expect(harness.records(.notified).count > 40)
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }

    @Test func `A device that has lost its bonds lets everyone connect`() throws {
        let harness = try Self.play(
            #""only_bonded": true"#, bonded: true,
            """
            {"when": "20 s", "do": "disconnect", "of": "strap"},
            {"when": {"event": "disconnected", "nth": 1}, "do": "forget_bond", "of": "strap"},
            {"when": {"event": "bond_lost"}, "do": "connect", "of": "phone", "to": "strap"}
            """)
        #expect(harness.records(.connected, of: "phone").count == 1)
    }

    /// Directed packets have no data: the client knows the device by its call.
    @Test(arguments: ["", #", "privacy": true"#]) func `A device calls the client that it has bonded with`(
        privacy: String
    ) throws {
        let harness = try Self.play(
            #""directed": true"#, bonded: true, Self.leavesAndIsCalled, security: privacy)
        #expect(harness.records(.connected, of: "phone").isEmpty)
        #expect(harness.records(.connected, of: "strap").map(\.peer) == [harness.clientAddress, harness.clientAddress])
        #expect(harness.records(.notified).count > 40)
    }

    @Test func `Without a bond there is nobody to call, and everyone finds the device`() throws {
        let harness = try Self.play(#""directed": true"#, bonded: false, Self.leavesAndIsCalled)
        #expect(harness.records(.paired).count == 1)
        #expect(harness.records(.connected, of: "strap").map(\.peer) == [harness.clientAddress, harness.clientAddress])
    }
}
