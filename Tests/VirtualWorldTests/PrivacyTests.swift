import Basics
import Bluetooth
import Clients
import HCI
import LEHost
import ScenarioModel
import Testing

@testable import VirtualWorld

/// Devices with private addresses, in virtual time.
@Suite struct PrivacyTests {
    private static let identity = DeviceAddress(0xC0FF_EE00_0001, .random)

    private static func play(
        _ privacy: String, script: String = "", address: String = "C0:FF:EE:00:00:01/random", bonding: Bool = true,
        devices: String = "", limit: Int = 60
    ) -> TestScenario {
        TestScenario(
            script,
            """
            {"lubdub": 1, "name": "x", "limit": "\(limit) s", "devices": [
              {"id": "strap", "address": "\(address)", "security": {"privacy": \(privacy), "bonding": \(bonding)},
               "advertise": {"services": ["180D"]},
               "services": [{"service": "heart_rate", "permissions": ["encrypted"], "value": 72}]}\(devices)],
             "script": [\(script)]}
            """)
    }

    @Test(arguments: [false, true])
    func `The key of private addresses comes from the seed, or from the system`(isFromSystem: Bool) throws {
        let keys = try (0..<2).map { _ in
            var world = try World(Self.play("true").scenario, seed: 1)
            world.hasSystemSecrets = isFromSystem
            world.start()
            return world.nodes[0].host.security.resolvingKey
        }
        #expect((keys[0] == keys[1]) == !isFromSystem)
        #expect(!keys.contains(0))
    }

    /// The addresses that a continuous scan finds, in order.
    private func heard(_ play: TestScenario, for seconds: Int64) throws -> [DeviceAddress] {
        var harness = try GuestHarness(play)
        let guest = harness.world.addGuest(at: .start)
        harness.command("01 0C 08 FF FF FF FF FF FF FF 3F", by: guest)
        harness.command("0B 20 07 00 60 00 60 00 00 00", by: guest)
        harness.command("0C 20 02 01 00", by: guest)
        harness.run(until: Instant(nanoseconds: seconds * 1_000_000_000))
        #expect(harness.world.pool.taken == 0)
        var addresses: [DeviceAddress] = []
        for report in harness.meta(0x02) {
            let number = report.octets[6..<12].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            let address = DeviceAddress(number, report.octets[5] == 1 ? .random : .public)
            if addresses.last != address { addresses.append(address) }
        }
        return addresses
    }

    // MARK: On the air

    @Test(
        arguments: [
            (#""10 s""#, "", "C0:FF:EE:00:00:01/random", 45, 5), ("true", "", "C0:FF:EE:00:00:01/random", 899, 1),
            ("true", "", "00:11:22:33:44:55/public", 901, 2), ("false", "", "00:11:22:33:44:55/public", 60, 1),
            ("true", #"{"when": {"at": "5 s", "every": "10 s"}, "do": "rotate_address"}"#, "00:11:22:33:44:55", 40, 5),
            (#""10 s""#, #"{"when": "start", "do": "rotate_address"}"#, "00:11:22:33:44:55", 9, 1),
            (#""10 s""#, #"{"when": "5 s", "do": "rotate_address"}"#, "00:11:22:33:44:55", 14, 2),
            (
                "true",
                #"{"when": "5 s", "do": "rotate_address", "of": "strap"}, {"when": "4 s", "for": "5 s", "do": "stop_advertising"}"#,
                "00:11:22:33:44:55", 20, 2
            ),
        ] as [(String, String, String, Int, Int)])
    func `Each address is on the air for its time`(
        privacy: String, script: String, address: String, seconds: Int, count: Int
    ) throws {
        let play = Self.play(privacy, script: script, address: address, limit: 1000)
        let addresses = try heard(play, for: Int64(seconds))
        #expect(addresses.count == count && Set(addresses).count == count)
        #expect(addresses.allSatisfy { $0.isResolvable == (privacy != "false") })
        #expect(try heard(play, for: Int64(seconds)) == addresses, "the same seed gives the same addresses")
    }

    // MARK: The built-in client

    static let rotations = [
        #"{"when": {"event": "paired", "after": "5 s"}, "do": "link_loss", "for": "5 s", "of": "strap", "id": "away"}, {"when": {"event": "began", "of": "away", "after": "2 s"}, "do": "rotate_address"}"#,
        #"{"when": {"event": "paired", "after": "5 s"}, "do": "rotate_address", "id": "r"}, {"when": {"event": "began", "of": "r", "after": "5 s"}, "do": "disconnect", "of": "strap"}"#,
        #"{"when": {"event": "paired", "after": "5 s"}, "do": "disconnect", "of": "strap", "id": "d"}, {"when": {"event": "disconnected", "of": "strap"}, "do": "rotate_address"}"#,
        #"{"when": {"event": "subscribed", "of": "heart_rate"}, "do": "rotate_address"}, {"when": {"event": "paired", "after": "5 s"}, "do": "disconnect", "of": "strap"}"#,
    ]

    @Test(arguments: rotations) func `A bonded client finds it again, and names it by its identity`(
        script: String
    ) throws {
        var harness = try WorldHarness(Self.play("true", script: script).scenario)
        #expect(harness.records(.paired).count == 1)
        #expect(harness.records(.encrypted).count == 2)
        #expect(harness.records(.disconnected).count == 1)
        let peers = harness.said.compactMap(\.update.peer?.address)
        #expect(peers.first?.isResolvable == true)
        #expect(peers.last == Self.identity)
        let (sent, delivered) = (harness.records(.notified), harness.records(.delivered, of: "strap/heart_rate"))
        #expect(sent.count > 40 && delivered.count >= sent.count - 2)
        #expect(Set(harness.records.compactMap(\.peer)) == [harness.clientAddress])
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }

    @Test func `A client without a bond sees a new device`() throws {
        let harness = try WorldHarness(Self.play("true", script: Self.rotations[0], bonding: false).scenario)
        let pairings = harness.records(.paired).count
        #expect(pairings > 2 && harness.records(.encrypted).count == pairings)
        let found = harness.said.filter { if case .found = $0.update.content { true } else { false } }
            .compactMap(\.update.peer?.address)
        #expect(Set(found).count == pairings)
        #expect(found.allSatisfy { $0.isResolvable })
    }

    @Test func `A client whose user has removed the bond sees a new device, and pairs again`() throws {
        let script =
            #"{"when": {"event": "paired", "nth": 1, "after": "5 s"}, "do": "forget_bond", "side": "both", "of": "strap"}"#
        let harness = try WorldHarness(Self.play("true", script: script).scenario)
        #expect(harness.records(.paired).count == 2)
        #expect(harness.records(.disconnected).count == 1)
        let peers = harness.said.compactMap(\.update.peer?.address)
        #expect(peers.allSatisfy { $0.isResolvable })
    }

    @Test func `Rotations of a day are found, with the same octets for the same seed`() throws {
        let script = #"{"when": {"at": "7 s", "every": "20 s"}, "do": "link_loss", "for": "4 s", "of": "strap"}"#
        let scenario = try Self.play(#""3 s""#, script: script, limit: 120).scenario
        let harness = try WorldHarness(scenario)
        #expect(harness.records(.paired).count == 1)
        #expect(harness.records(.encrypted).count == 7)
        let again = try WorldHarness(scenario, sleeps: false)
        #expect(again.trace == harness.trace)
    }

    @Test func `A second central connects to its present address`() throws {
        let devices = #", {"id": "phone", "role": "central"}"#
        let script =
            #"{"when": "1 s", "do": "rotate_address", "of": "strap"}, {"when": "2 s", "do": "connect", "of": "phone", "to": "strap"}"#
        let play = Self.play("true", script: script, devices: devices)
        var world = try World(play.scenario, seed: 1)
        world.start()
        world.run(until: Instant(nanoseconds: 10_000_000_000))
        let connections = world.status.devices.map { $0.mtus.count }
        #expect(connections == [1, 1])
    }
}
