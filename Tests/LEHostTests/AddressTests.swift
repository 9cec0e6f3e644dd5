import Basics
import Bluetooth
import HCI
import LEHost
import Testing

/// A host that changes its address.
@Suite struct AddressTests {
    private static let first = DeviceAddress(0xC0FF_EE00_0001, .random)
    private static let second = DeviceAddress(0xC0FF_EE00_0002, .random)

    private static func started(_ features: LEFeatures, _ address: DeviceAddress?) throws -> HostHarness {
        var harness = try HostHarness(randomAddress: address)
        harness.start(features: features)
        _ = (harness.takeSent(), harness.takeOutputs())
        return harness
    }

    /// Answers all commands, and returns them in order.
    private static func commands(_ harness: inout HostHarness) -> [Command] {
        var commands: [Command] = []
        while !harness.sent.isEmpty {
            let octets = Array(harness.sent.removeFirst().dropFirst())
            guard let command = try? Command(octets: octets) else { continue }
            commands.append(command)
            harness.event([0x0E, 4, 1, octets[0], octets[1], 0])
        }
        return commands
    }

    private static func own(_ commands: [Command]) -> [OwnAddress] {
        commands.compactMap { command in
            switch command {
            case Command.leSetAdvertisingParameters:
                try? Command.leSetAdvertisingParameters.parameters(of: command).ownAddress
            case Command.leSetScanParameters: try? Command.leSetScanParameters.parameters(of: command).ownAddress
            default: nil
            }
        }
    }

    @Test func `It stops, changes its address and continues`() throws {
        var harness = try Self.started([], Self.first)
        harness.step(.command(HostTests.advertising))
        harness.step(.command(ExtendedTests.scanning))
        _ = Self.commands(&harness)
        harness.step(.command(.changeAddress(Self.second)))
        let commands = Self.commands(&harness)
        #expect(
            commands.map(\.opcode)
                == opcodes(
                    Command.leSetAdvertisingEnable, Command.leSetScanEnable, Command.leSetRandomAddress,
                    Command.leSetAdvertisingParameters,
                    Command.leSetAdvertisingData, Command.leSetScanResponseData, Command.leSetAdvertisingEnable,
                    Command.leSetScanParameters,
                    Command.leSetScanEnable))
        #expect(commands[2] == .leSetRandomAddress(Self.second))
        #expect(Self.own(commands) == [.random, .random])
        harness.step(.command(.changeAddress(nil)))
        let last = Self.commands(&harness)
        #expect(!last.contains { $0.opcode == Command.leSetRandomAddress.opcode })
        #expect(Self.own(last) == [.public, .public])
        #expect(harness.takeOutputs().last == .scanning(true))
    }

    @Test func `An advertising set receives the new address`() throws {
        var harness = try Self.started(.extendedAdvertising, Self.first)
        harness.step(.command(HostTests.advertising))
        _ = Self.commands(&harness)
        harness.step(.command(.changeAddress(Self.second)))
        let commands = Self.commands(&harness)
        #expect(
            Array(commands.map(\.opcode).prefix(3))
                == opcodes(
                    Command.leSetExtendedAdvertisingEnable, Command.leSetRandomAddress, Command.leRemoveAdvertisingSet))
        #expect(commands.contains(.leSetAdvertisingSetRandomAddress(0, Self.second)))
        #expect(commands.last?.opcode == Command.leSetExtendedAdvertisingEnable.opcode)
    }

    @Test func `An idle controller receives the new address`() throws {
        var harness = try Self.started([], nil)
        harness.step(.command(.changeAddress(Self.second)))
        #expect(Self.commands(&harness) == [.leSetRandomAddress(Self.second)])
    }

    @Test func `A change during the start applies after the start`() throws {
        var harness = try HostHarness(randomAddress: Self.first)
        harness.step(.command(.start))
        harness.step(.command(.changeAddress(Self.second)))
        #expect(harness.takeSent().count == 1)
        harness.start()
        #expect(harness.takeOutputs().contains { if case .started(Self.second, _) = $0 { true } else { false } })
    }

    @Test func `A change is refused while the host connects`() throws {
        var harness = try Self.started([], Self.first)
        harness.step(.command(HostTests.connecting))
        _ = harness.takeSent()
        harness.step(.command(.changeAddress(Self.second)))
        #expect(harness.takeSent().isEmpty)
        #expect(harness.takeOutputs() == [.refused(Command.leSetRandomAddress.opcode, .commandDisallowed)])
    }
}
