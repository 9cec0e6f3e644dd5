import ATT
import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import Testing

@testable import SystemBluetooth

/// Rules of bluetoothd that the answers of the real one have shown: Tests/Oracle.
@Suite struct BluetoothdPolicyTests {
    private let strap = DeviceAddress(0xC0FF_EE00_0001, .random)
    private let patch = DeviceAddress(0xC0FF_EE00_0002, .random)
    private let program = ProgramID(number: 1)

    private static let flags: [UInt8] = [2, 0x01, 0x06]
    private static let name: [UInt8] = [6, 0x09] + Array("Strap".utf8)

    @Test func `A scan response that comes late completes the device that was reported without it`() {
        var central = SharedCentral(.bluetoothd())
        var pool = PacketPool()
        var outputs: [SharedCentral.Output] = []
        central.perform(.open, of: program, at: .start, into: &outputs)
        central.step(.started(DeviceAddress(1, .public), ControllerFacts()), at: .start, pool: &pool, into: &outputs)
        central.perform(.scan(ScanOptions()), of: program, at: .start, into: &outputs)
        outputs.removeAll()
        func receive(_ address: DeviceAddress, _ kind: AdvertisingReport.Kind, _ data: [UInt8]) {
            let report = AdvertisingReport(kind: kind, address: address, data: data, rssi: -50)
            central.step(.report(report), at: .start, pool: &pool, into: &outputs)
        }
        receive(strap, .undirected, Self.flags)
        receive(patch, .undirected, Self.flags)
        for _ in 1...2 { receive(strap, .scanResponse, Self.name) }
        let names = outputs.compactMap { output -> String?? in
            guard case .event(_, .discovered(strap, let advertisement, _)) = output else { return nil }
            return .some(advertisement.name)
        }
        #expect(names == [nil, "Strap"])
    }

    @Test func `The system's own subscription and those of programs are configured apart`() {
        var apart = Subscriptions(separatesOwn: true)
        var together = Subscriptions(separatesOwn: false)
        for isOwn in [true, false] {
            apart.set(true, isOwn ? nil : program, 7, .notification)
            together.set(true, isOwn ? nil : program, 7, .notification)
        }
        #expect(!apart.isUsed(7, besides: program))
        #expect(!apart.isUsed(7, besides: nil))
        #expect(together.isUsed(7, besides: program))
        #expect(apart.leave(program) == [7])
        #expect(together.leave(program) == [])
        #expect(apart.contains(nil, 7))
    }

    @Test func `In a hurry, only waits are shorter`() {
        let (slow, quick) = (HostPolicy.bluetoothd(), HostPolicy.bluetoothd().hastened())
        #expect(slow.connecting.linger == .seconds(2))
        #expect(quick.connecting.linger < .milliseconds(10))
        #expect(quick.connecting.linger > .zero, "the signals have the same order")
        #expect(quick.scanning.period == .seconds(1))
        #expect(quick.connecting.limit == .seconds(5))
        #expect(quick.scanning.memory == slow.scanning.memory)
        #expect(quick.attributes.preparation == slow.attributes.preparation)
        #expect(quick.attributes.cache == slow.attributes.cache)
    }

    @Test func `Extended properties are noted for the characteristic that contains the descriptor`() {
        func characteristic(_ first: UInt16) -> DiscoveredCharacteristic {
            DiscoveredCharacteristic(
                uuid: UUID(0x2A56), range: HandleRange(first, first + 2), properties: .extendedProperties,
                valueHandle: first + 1)
        }
        var link = Link(
            id: ConnectionID(number: 1), peer: strap, clients: [], Subscriptions(separatesOwn: true))
        let service = DiscoveredService(
            uuid: UUID(0x1815), range: HandleRange(1, 10), characteristics: [characteristic(2), characteristic(5)])
        link.adopt([service])
        link.note([1, 0], ofExtendedProperties: 7)
        #expect(link.services.flatMap(\.characteristics).map(\.extendedProperties) == [[], [1, 0]])
    }
}
