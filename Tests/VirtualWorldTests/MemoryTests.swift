import Bluetooth
import GATT
import LEHost
import ScenarioModel
import SecurityManager
import Testing

@testable import VirtualWorld

/// The memory of devices that are switched off.
@Suite struct MemoryTests {
    private static func scenario(_ security: String) -> TestScenario {
        TestScenario(
            security,
            """
            {"lubdub": 1, "name": "x", "limit": "10 s", "devices": [
              {"id": "strap", "address": "C0:FF:EE:00:00:01/random", "security": {\(security)},
               "advertise": {"services": ["180D"]},
               "services": [{"service": "heart_rate", "permissions": ["encrypted"], "value": 72}]}]}
            """)
    }

    @Test func `The memory of a strap has its bond, and the subscriptions of the connected client`() throws {
        let harness = try WorldHarness(Self.scenario("").scenario)
        let memory = try #require(harness.world.memories.first?.memory)
        #expect(memory.bonds.count == 1)
        #expect(memory.resolvingKey == 0)
        let client = try #require(memory.bonds.first.flatMap { memory.clients[$0.peer] })
        let handle = try #require(harness.records(.subscribed, of: "strap/heart_rate").first?.handle)
        #expect(client.configurations[handle] == .notification)
        #expect(client.isChangeAware)
    }

    @Test func `A strap that is switched on again has the same memory, also above a real controller`() throws {
        let scenario = try Self.scenario(#""privacy": true"#).scenario
        let memory = try #require(try WorldHarness(scenario).world.memories.first?.memory)
        var world = try World(scenario, seed: 2)
        #expect(world.memories.first?.memory.resolvingKey != memory.resolvingKey)
        world.restore { $0 == scenario.devices[0].address ? memory : nil }
        #expect(world.memories.first?.memory == memory)
        world.placeDevices(on: .controllers)
        world.start()
        #expect(world.memories.first?.memory == memory)
    }

    @Test func `A strap without privacy does not take a key for it`() throws {
        var world = try World(try Self.scenario("").scenario, seed: 1)
        world.restore { _ in HostMemory(resolvingKey: 1) }
        #expect(world.memories.first?.memory.resolvingKey == 0)
    }
}
