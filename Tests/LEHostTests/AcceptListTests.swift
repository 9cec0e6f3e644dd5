import Basics
import Bluetooth
import HCI
import LEHost
import SecurityManager
import Testing

/// A peripheral that lets only bonded peers connect.
@Suite struct AcceptListTests {
    private static let phone = DeviceAddress(0xF0C1_1E47_0001, .random)
    private static let watch = DeviceAddress(0x0011_2233_4455, .public)

    /// The commands of a host with bonds that advertises, in their order.
    private static func commands(_ filterPolicy: UInt8, _ bonds: [Bond]) throws -> [Command] {
        var harness = try HostHarness()
        harness.host.restore(bonds)
        harness.start()
        _ = harness.takeSent()
        harness.step(
            .command(
                .advertise(
                    AdvertisingParameters(minimumInterval: 0xA0, maximumInterval: 0xA0, filterPolicy: filterPolicy),
                    data: [2, 1, 6], scanResponse: [])))
        var commands: [Command] = []
        while let packet = harness.takeSent().first {
            let command = try Command(octets: Array(packet.dropFirst()))
            commands.append(command)
            harness.event(Event.complete(command.opcode).octets)
        }
        return commands
    }

    @Test func `Bonded peers are on the list before advertising begins, with their private addresses`() throws {
        var known = Bond(with: Self.phone)
        known.peerResolvingKey = 0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10
        let commands = try Self.commands(AdvertisingParameters.onlyAcceptedConnect, [Bond(with: Self.watch), known])
        let list: [Command] = [
            .leClearFilterAcceptList(), .leAddDeviceToFilterAcceptList(Self.watch),
            .leAddDeviceToFilterAcceptList(Self.phone), .leSetAddressResolutionEnable(false), .leClearResolvingList(),
            .leAddDeviceToResolvingList(Self.phone, Array((1...16).reversed()), [UInt8](repeating: 0, count: 16)),
            .leSetPrivacyMode(Self.phone, true), .leSetAddressResolutionEnable(true),
        ]
        #expect(commands.prefix(list.count).map(\.octets) == list.map(\.octets))
        #expect(commands.last?.octets == Command.leSetAdvertisingEnable(true).octets)
    }

    @Test func `Without the filter policy the list is left alone`() throws {
        let commands = try Self.commands(0, [Bond(with: Self.phone)])
        #expect(!commands.contains { Command.leClearFilterAcceptList ~= $0 })
    }
}
