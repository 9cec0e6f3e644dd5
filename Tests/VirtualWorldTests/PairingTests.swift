import Basics
import Clients
import LEHost
import ScenarioModel
import Testing

@testable import VirtualWorld

/// The built-in client, and a strap that requires pairing, in virtual time.
@Suite struct PairingTests {
    private static func play(_ security: String, _ permissions: String, script: String = "") throws -> WorldHarness {
        let scenario = TestScenario(
            security,
            """
            {"lubdub": 1, "name": "x", "limit": "60 s", "devices": [
              {"id": "strap", "address": "C0:FF:EE:00:00:01/random", "security": {\(security)},
               "advertise": {"services": ["180D"]},
               "services": [{"service": "heart_rate", "permissions": [\(permissions)], "value": 72}]}],
             "script": [\(script)]}
            """)
        return try WorldHarness(scenario.scenario)
    }

    private static let walk =
        #"{"when": {"event": "paired", "of": "strap", "after": "5 s"}, "do": "link_loss", "of": "strap", "for": "5 s"}"#

    @Test(arguments: [
        (#""io": "none""#, #""encrypted""#), (#""io": "none", "secure_connections": "off""#, #""encrypted""#),
        (#""io": "display_only", "passkey": 123456"#, #""authenticated""#),
        (#""io": "display_only", "secure_connections": false"#, #""authenticated""#),
        (#""io": "display_yes_no", "mitm": true"#, #""authenticated", "secure_connections""#),
        (#""io": "keyboard_only""#, #""authenticated""#),
        (#""io": "keyboard_only", "secure_connections": "off""#, #""authenticated""#),
        (#""io": "keyboard_display", "secure_connections": "required""#, #""secure_connections", "full_key_size""#),
        (#""io": "none", "key_size": 7"#, #""encrypted""#),
    ])
    func `The client pairs, shows the heart rate, and uses its bond when it is back`(
        security: String, permissions: String
    ) throws {
        let harness = try Self.play(security, permissions, script: Self.walk)
        #expect(harness.records(.paired).count == 1)
        #expect(harness.records(.encrypted).count == 2)
        #expect(harness.records(.disconnected).count == 1)
        #expect(harness.records(.notified, of: "strap/heart_rate").count > 30)
    }

    @Test(arguments: [
        (#""io": "none""#, #""authenticated""#, "insufficient_authentication"),
        (#""io": "none", "key_size": 15"#, #""full_key_size""#, "encryption_key_size_too_short"),
        (#""io": "none", "secure_connections": "off""#, #""secure_connections""#, "insufficient_authentication"),
    ])
    func `A key that is too weak for a value stays refused`(security: String, permissions: String, error: String) throws
    {
        let harness = try Self.play(security, permissions)
        #expect(!harness.records(.paired).isEmpty)
        #expect(harness.records(.refused).last?.error == error)
        #expect(harness.records(.notified).isEmpty)
    }

    @Test func `A strap that requires authentication refuses Just Works`() throws {
        let harness = try Self.play(#""io": "none", "mitm": "required""#, #""encrypted""#)
        #expect(harness.records(.pairingFailed).first?.reason == "authentication_requirements")
        #expect(harness.records(.paired).isEmpty)
        #expect(harness.records(.notified).isEmpty)
    }

    @Test func `Without a bond, the client pairs in each connection`() throws {
        let harness = try Self.play(#""io": "none", "bonding": false"#, #""encrypted""#, script: Self.walk)
        #expect(harness.records(.paired).count == harness.records(.connected).count)
        #expect(harness.records(.paired).count > 1)
    }

    @Test func `A strap that keeps no bond is reported, and the client does not pair again by itself`() throws {
        let harness = try Self.play(#""io": "none", "bonds": 0"#, #""encrypted""#, script: Self.walk)
        #expect(harness.records(.paired).count == 1)
        #expect(harness.records(.encrypted).count == 1)
        #expect(harness.said.contains { $0.update.text.contains("has lost the keys of an earlier pairing") })
    }

    @Test func `Users answer a device that has changed its address during the connection`() throws {
        let harness = try Self.play(
            #""io": "display_only""#, #""authenticated""#,
            script: #"{"when": {"event": "connected", "nth": 1, "after": "500 ms"}, "do": "change_address"}"#)
        #expect(harness.records(.pairingFailed).isEmpty)
        #expect(harness.records(.paired).count == 1)
    }

    @Test(arguments: [RadioKind.virtual, .controllers])
    func `Keys of a real radio do not come from the seed`(radio: RadioKind) throws {
        let scenario = TestScenario.strap("secure", more: #""security": {"io": "none"},"#)
        var world = try World(scenario.scenario, seed: 1)
        world.placeDevices(on: radio)
        world.start()
        let isSystem = if case .system = world.nodes[0].host.security.secrets { true } else { false }
        #expect(isSystem == (radio == .controllers))
    }

    @Test func `Keys come from the seed`() throws {
        let traces = try (0..<2).map { _ in try Self.play(#""io": "display_only""#, #""authenticated""#).trace }
        #expect(traces[0] == traces[1])
    }
}
