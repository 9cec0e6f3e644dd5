import Basics
import Mutations
import Testing

@testable import Drivers

@Suite struct ManagementTests {
    /// Of the kernel, for Read Controller Information of hci1: Command Complete, then 280 octets.
    static let information: [UInt8] =
        [0x01, 0x00, 0x01, 0x00, 0x1B, 0x01, 0x04, 0x00, 0x00] + [0x01, 0x00, 0x01, 0xAA, 0x00, 0x00] + [
            0x09, 0x3F, 0x00,
        ]
        + [0xFF, 0xFE, 0x01, 0x00] + [0x81, 0x02, 0x00, 0x00] + [UInt8](repeating: 0, count: 3 + 249 + 11)

    @Test func `A command has its opcode, the adapter and the length of its parameters`() {
        #expect(ManagementPacket(.setPowered, of: 1, [1]).octets == [0x05, 0x00, 0x01, 0x00, 0x01, 0x00, 0x01])
        #expect(ManagementPacket(.readIndexList).octets == [0x03, 0x00, 0xFF, 0xFF, 0x00, 0x00])
    }

    @Test func `The answer to a request has its status and parameters`() throws {
        let event = try ManagementPacket(Self.information)
        let parameters = try #require(try event.answer(to: .readInformation, of: 1)).get()
        #expect(parameters.count == 280)
        let adapter = try AdapterInformation(parameters)
        #expect(adapter == AdapterInformation(isPowered: true, supportsLowEnergy: true))
    }

    @Test(arguments: [
        (ManagementCommand.setPowered, UInt16(1)),  // another command
        (.readInformation, 0),  // another adapter
    ])
    func `An answer to another request is skipped`(command: ManagementCommand, adapter: UInt16) throws {
        #expect(try ManagementPacket(Self.information).answer(to: command, of: adapter) == nil)
    }

    @Test func `Other events do not answer a request`() throws {
        // New Settings of hci1.
        let event = try ManagementPacket([0x06, 0x00, 0x01, 0x00, 0x04, 0x00, 0x81, 0x02, 0x00, 0x00])
        #expect(try event.answer(to: .setPowered, of: 1) == nil)
    }

    @Test(arguments: [
        (UInt8(0x0A), "the kernel is busy with it"), (0x12, "rfkill has switched it off"),
        (0x14, "the capability CAP_NET_ADMIN is missing"), (0x11, "there is no such adapter"),
        (0x55, "the kernel refused it with the management status 0x55"),
    ])
    func `A refusal has a cause and, if known, a fix`(status: UInt8, cause: String) throws {
        let event = try ManagementPacket([0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x05, 0x00, status])
        guard case .failure(let refusal) = try event.answer(to: .setPowered, of: 0) else {
            Issue.record("no refusal")
            return
        }
        let message = AdapterFailure.refused(refusal).message(about: 0).description
        #expect(message.hasPrefix("cannot use hci0: \(cause)"))
    }

    @Test func `Truncated and mutated events throw or are read, and never trap`() {
        for octets in Self.information.mutations {
            guard let event = try? ManagementPacket(octets) else { continue }
            #expect(octets.count >= Self.information.count)
            if case .success(let octets)? = try? event.answer(to: .readInformation, of: event.adapter) {
                _ = try? AdapterInformation(octets)
            }
        }
    }
}
