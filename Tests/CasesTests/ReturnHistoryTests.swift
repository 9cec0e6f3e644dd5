import Basics
import Bluetooth
import Expectations
import HCI
import ScenarioLanguage
import ScenarioModel
import Synchronization
import Testing

@testable import Causes

/// The commands of a client that has lost a device, and how they are put into words.
///
/// Each test is a sequence of packets.
@Suite struct ReturnHistoryTests {
    private static let (device, client): (Int, Int) = (0, 1)
    private static let old = DeviceAddress(0xC0FF_EE00_0001, .random)
    private static let new = DeviceAddress(0xC0FF_EE00_0099, .random)

    private enum Packet {
        case command(Int, HCI.Command)
        case event(HCI.Event)
    }

    private static func advertising(as address: DeviceAddress) -> [Packet] {
        let parameters = AdvertisingParameters(minimumInterval: 160, maximumInterval: 160, ownAddress: .random)
        return [.leSetAdvertisingEnable(false), .leSetRandomAddress(address), .leSetAdvertisingParameters(parameters)]
            .map { .command(device, $0) } + [.command(device, .leSetAdvertisingEnable(true))]
    }

    private static let parameters = ConnectionParameters(
        minimumInterval: 24, maximumInterval: 24, latency: 0, supervisionTimeout: 72)

    private static func connecting(to peer: DeviceAddress, usesAcceptList: Bool = false) -> Packet {
        .command(
            client,
            .leCreateConnection(ConnectionCreation(to: peer, parameters: parameters, usesAcceptList: usesAcceptList))
        )
    }

    private static let connected = Packet.event(
        .leConnectionComplete(
            .success,
            ConnectionComplete(
                handle: 1, role: .central, peer: old,
                timing: ConnectionTiming(interval: 24, latency: 0, supervisionTimeout: 72))))
    private static let disconnected = Packet.event(.disconnectionComplete(.success, 1, .connectionTimeout))
    private static let report = Packet.event(
        .leAdvertisingReport([AdvertisingReport(kind: .undirected, address: new, data: [], rssi: -50)]))

    private final class Histories: Sendable {
        let history: Mutex<ReturnHistory>
        init(_ history: ReturnHistory) { self.history = Mutex(history) }
    }

    /// The explanation at 20 s, after a connection at 0 s and its loss at 2 s, with packets after each.
    private static func explanation(
        before: [Packet] = [], _ after: [Packet], lostFor patience: Int = 5
    ) throws -> String? {
        let text = #"""
            {"lubdub": 1, "name": "One", "limit": "9 s", "devices": [{"id": "strap", "address": "C0:FF:EE:00:00:01/random",
              "services": [{"service": "heart_rate"}]}]}
            """#
        let scenario = try #require(ScenarioFile.read("a.json") { _ in Array(text.utf8) }.scenario)
        let all = Histories(ReturnHistory(scenario))
        var log = PacketLog { chunk in
            all.history.withLock { history in
                for record in chunk.records { history.take(record, chunk.octets(of: record)) }
            }
        }
        for (second, packets) in [(0, [connected] + before), (2, [disconnected]), (3, after)] {
            for packet in packets {
                let now = Instant.start.advanced(by: .seconds(second))
                switch packet {
                case .command(let controller, let command):
                    log.append(.command, controller: controller, command.octets[...], at: now)
                case .event(let event): log.append(.event, controller: client, event.octets[...], at: now)
                }
            }
        }
        log.flush()
        let end = Instant.start.advanced(by: .seconds(20))
        return all.history.withLock { $0.explanation(of: 0, at: end, lostFor: .seconds(patience))?.words }
    }

    private static let scan = Packet.command(client, .leSetScanEnable(true, true))
    private static let loss = "after the disconnection at 2.000000 s"
    private static let callsOld =
        "\(loss), the client tried to connect to C0:FF:EE:00:00:01/random only; "
        + "strap began to advertise as C0:FF:EE:00:00:99/random at 3.000000 s"

    @Test func `Nothing, or only scanning`() throws {
        let back = Self.advertising(as: Self.new)
        let nothing = "the client neither scanned nor connected \(Self.loss)"
        #expect(try Self.explanation(back) == nothing)
        let scanned =
            "the client scanned, and did not connect \(Self.loss); "
            + "its controller reported the advertising of strap at 3.000000 s"
        #expect(try Self.explanation(back + [Self.scan, Self.report]) == scanned)
        // It began to scan while it was connected.
        #expect(try Self.explanation(before: [Self.scan], back + [Self.report]) == scanned)
        // It is still scanning, and nothing has come.
        #expect(try Self.explanation(back + [Self.scan]) == nil)
        let ended = "the client scanned only until 3.000000 s, and did not connect \(Self.loss)"
        let stop = Packet.command(Self.client, .leSetScanEnable(false, false))
        #expect(try Self.explanation(back + [Self.scan, stop]) == ended)
        #expect(try Self.explanation(back + [Self.scan, .command(Self.client, .reset())]) == ended)
    }

    @Test func `Connecting to an address that the device no longer has`() throws {
        let back = Self.advertising(as: Self.new)
        #expect(try Self.explanation(back + [Self.connecting(to: Self.old)]) == Self.callsOld)
        #expect(try Self.explanation(before: [Self.connecting(to: Self.old)], back) == Self.callsOld)
        let add = Packet.command(Self.client, .leAddDeviceToFilterAcceptList(Self.old))
        let any = Self.connecting(to: DeviceAddress(0, .public), usesAcceptList: true)
        #expect(try Self.explanation(back + [add, any]) == Self.callsOld)
        // One of the addresses is right.
        #expect(try Self.explanation(back + [Self.old, Self.new].map { Self.connecting(to: $0) }) == nil)
        #expect(try Self.explanation(Self.advertising(as: Self.old) + [Self.connecting(to: Self.old)]) == nil)
    }

    @Test func `Nothing is stated that is not known`() throws {
        let back = Self.advertising(as: Self.new)
        // The device does not advertise, or not for connections.
        #expect(try Self.explanation([]) == nil)
        #expect(try Self.explanation(back + [.command(Self.device, .leSetAdvertisingEnable(false))]) == nil)
        #expect(try Self.explanation(back + [.command(Self.device, .reset())]) == nil)
        // The client has returned, or has lost the device only now.
        #expect(try Self.explanation(back + [Self.connected]) == nil)
        #expect(try Self.explanation(back, lostFor: 19) == nil)
        // It tried, and its controller refused.
        let scan = HCI.Command.leSetScanEnable.opcode
        #expect(try Self.explanation(back + [Self.scan, .event(.complete(scan, .commandDisallowed))]) == nil)
        let connect = HCI.Command.leCreateConnection.opcode
        #expect(try Self.explanation(back + [.event(.commandStatus(.commandDisallowed, 1, connect))]) == nil)
        // Nobody is on the list; or the controller knows which private addresses are meant.
        let any = Self.connecting(to: DeviceAddress(0, .public), usesAcceptList: true)
        #expect(try Self.explanation(back + [any]) == nil)
        let resolves = Packet.command(Self.client, .leSetAddressResolutionEnable(true))
        #expect(try Self.explanation(back + [resolves, Self.connecting(to: Self.old)]) == nil)
    }
}
