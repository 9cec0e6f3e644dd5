import Bluetooth
import LEHost
import ScenarioModel
import SecurityManager
import Testing

@testable import VirtualWorld

/// Devices that have a bond with the client from the start, in virtual time.
@Suite struct BondedTests {
    private static func scenario(_ security: String, _ permissions: String, script: String = "") -> TestScenario {
        TestScenario(
            security,
            """
            {"lubdub": 1, "name": "x", "limit": "60 s", "devices": [
              {"id": "strap", "address": "C0:FF:EE:00:00:01/random", "security": {"bonded": true, \(security)},
               "advertise": {"services": ["180D"]},
               "services": [{"service": "heart_rate", "permissions": [\(permissions)], "value": 72}]}],
             "script": [\(script)]}
            """)
    }

    @Test(arguments: [
        (#""io": "none""#, #""encrypted""#), (#""io": "none", "secure_connections": "off""#, #""encrypted""#),
        (#""io": "display_only", "passkey": 123456"#, #""authenticated""#),
        (#""io": "keyboard_only", "secure_connections": "off""#, #""authenticated""#),
        (#""io": "keyboard_display", "secure_connections": "required""#, #""secure_connections", "full_key_size""#),
        (#""io": "none", "key_size": 7"#, #""encrypted""#), (#""io": "none", "bonds": 1"#, #""encrypted""#),
        (#""io": "none", "privacy": "10 s""#, #""encrypted""#),
    ])
    func `The client encrypts in its first connection, and does not pair`(
        security: String, permissions: String
    ) throws {
        let harness = try WorldHarness(Self.scenario(security, permissions).scenario)
        #expect(harness.records(.encrypted).count == 1)
        #expect(harness.records(.paired).isEmpty)
        #expect(harness.records(.refused).isEmpty)
        #expect(harness.records(.notified, of: "strap/heart_rate").count > 50)
    }

    @Test func `A bond is as weak as the pairing would have been`() throws {
        let harness = try WorldHarness(Self.scenario(#""io": "none", "key_size": 15"#, #""full_key_size""#).scenario)
        #expect(harness.records(.refused).first?.error == "encryption_key_size_too_short")
        #expect(harness.records(.notified).isEmpty)
    }

    @Test(arguments: ["device", "client"]) func `A bond can be forgotten before the client connects`(
        side: String
    ) throws {
        let script = #"{"when": "0 s", "do": "forget_bond", "side": "\#(side)"}"#
        let harness = try WorldHarness(Self.scenario(#""io": "none""#, #""encrypted""#, script: script).scenario)
        #expect(harness.records(.encryptionFailed).isEmpty == (side == "client"))
        #expect(harness.records(.paired).count == (side == "client" ? 1 : 0))
    }

    @Test func `An external client gets the keys of the device, which depend on the seed`() throws {
        let scenario = try Self.scenario(#""privacy": true, "secure_connections": false"#, "").scenario
        func bonds(_ seed: UInt64) throws -> (clients: [Bond], devices: [Bond]) {
            var world = try World(scenario, seed: seed)
            let clients = world.bondDevices(withClientAt: World.bondedClient)
            return (clients, world.memories.flatMap(\.memory.bonds))
        }
        let (clients, devices) = try bonds(1)
        #expect(clients.map(\.peer) == scenario.devices.map(\.address))
        #expect(devices.map(\.peer) == [World.bondedClient])
        #expect(clients[0].keyAsCentral == devices[0].keyAsPeripheral)
        #expect(clients[0].keyAsCentral?.rand != 0)
        #expect(clients[0].peerResolvingKey != nil)
        #expect(try bonds(1).clients == clients)
        #expect(try bonds(2).clients[0].keyAsCentral != clients[0].keyAsCentral)
    }

    @Test func `A device without the word has no bond`() throws {
        var world = try World(
            TestScenario("x", #"{"lubdub": 1, "name": "x", "devices": [{"id": "a", "security": {}}]}"#).scenario,
            seed: 1)
        #expect(world.bondDevices(withClientAt: World.bondedClient).isEmpty)
        #expect(world.memories.flatMap(\.memory.bonds).isEmpty)
    }
}
