import Bluetooth
import HCI
import LEHost
import Octets
import Simulation
import Testing

/// A host that goes on under another address.
@Suite struct AddressTests {
    private static let first = DeviceAddress(0xC0FF_EE00_0001, .random)
    private static let second = DeviceAddress(0xC0FF_EE00_0002, .random)

    private static func started(_ features: LEFeatures, _ address: DeviceAddress?) throws -> Desk {
        var desk = try Desk(randomAddress: address)
        desk.start(features: features)
        _ = (desk.takeSent(), desk.takeTold())
        return desk
    }

    /// Answers everything; what was sent, in order.
    private static func commands(_ desk: inout Desk) -> [Command] {
        var commands: [Command] = []
        while !desk.sent.isEmpty {
            let octets = Array(desk.sent.removeFirst().dropFirst())
            guard let command = try? Command(octets: octets) else { continue }
            commands.append(command)
            desk.event([0x0E, 4, 1, octets[0], octets[1], 0])
        }
        return commands
    }

    private static func own(_ commands: [Command]) -> [OwnAddress] {
        commands.compactMap { command in
            switch command {
            case .leSetAdvertisingParameters(let parameters): parameters.ownAddress
            case .leSetScanParameters(let parameters): parameters.ownAddress
            default: nil
            }
        }
    }

    @Test func `It stops, changes and goes on`() throws {
        var desk = try Self.started([], Self.first)
        desk.step(.command(HostTests.advertising))
        desk.step(.command(ExtendedTests.scanning))
        _ = Self.commands(&desk)
        desk.step(.command(.changeAddress(Self.second)))
        let commands = Self.commands(&desk)
        #expect(
            commands.map(\.opcode) == [
                .leSetAdvertisingEnable, .leSetScanEnable, .leSetRandomAddress, .leSetAdvertisingParameters,
                .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters,
                .leSetScanEnable,
            ])
        #expect(commands[2] == .leSetRandomAddress(Self.second))
        #expect(Self.own(commands) == [.random, .random])
        desk.step(.command(.changeAddress(nil)))
        let last = Self.commands(&desk)
        #expect(!last.contains { $0.opcode == .leSetRandomAddress })
        #expect(Self.own(last) == [.public, .public])
        #expect(desk.takeTold().last == .scanning(true))
    }

    @Test func `An advertising set gets the new one`() throws {
        var desk = try Self.started(.extendedAdvertising, Self.first)
        desk.step(.command(HostTests.advertising))
        _ = Self.commands(&desk)
        desk.step(.command(.changeAddress(Self.second)))
        let commands = Self.commands(&desk)
        #expect(
            Array(commands.map(\.opcode).prefix(3)) == [
                .leSetExtendedAdvertisingEnable, .leSetRandomAddress, .leRemoveAdvertisingSet,
            ])
        #expect(commands.contains(.leSetAdvertisingSetRandomAddress(set: 0, Self.second)))
        #expect(commands.last?.opcode == .leSetExtendedAdvertisingEnable)
    }

    @Test func `While it does nothing, the controller gets it all the same`() throws {
        var desk = try Self.started([], nil)
        desk.step(.command(.changeAddress(Self.second)))
        #expect(Self.commands(&desk) == [.leSetRandomAddress(Self.second)])
    }

    @Test func `One that comes while it starts counts when it has started`() throws {
        var desk = try Desk(randomAddress: Self.first)
        desk.step(.command(.start))
        desk.step(.command(.changeAddress(Self.second)))
        #expect(desk.takeSent().count == 1)
        desk.start()
        #expect(desk.takeTold().contains { if case .started(Self.second, _) = $0 { true } else { false } })
    }

    @Test func `Not while it connects`() throws {
        var desk = try Self.started([], Self.first)
        desk.step(.command(HostTests.connecting))
        _ = desk.takeSent()
        desk.step(.command(.changeAddress(Self.second)))
        #expect(desk.takeSent().isEmpty)
        #expect(desk.takeTold() == [.refused(.leSetRandomAddress, .commandDisallowed)])
    }
}
