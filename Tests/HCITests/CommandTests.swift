import Basics
import Bluetooth
import FoundationEssentials
import HCI
import Mutations
import Testing

@Suite struct CommandTests {
    static let strap = DeviceAddress(0xC0FF_EE00_0001, .random)
    static let parameters = ConnectionParameters(
        minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x2A)

    /// Commands as Linux and Bumble send them, and one of each other layout.
    static let table: [(Command, [UInt8])] = [
        (.reset(), [0x03, 0x0C, 0]),
        (.disconnect(0x2A, .remoteUserTerminated), [0x06, 0x04, 3, 0x2A, 0x00, 0x13]),
        (.readRemoteVersionInformation(1), [0x1D, 0x04, 2, 1, 0]),
        (
            .setEventMask(EventMask(rawValue: 0x2000_8004_0204_E890)),
            [0x01, 0x0C, 8, 0x90, 0xE8, 0x04, 0x02, 0x04, 0x80, 0x00, 0x20]
        ),
        (.setControllerToHostFlowControl(1), [0x31, 0x0C, 1, 1]),
        (.hostBufferSize(HostBufferSize(aclLength: 251, aclCount: 8)), [0x33, 0x0C, 7, 251, 0, 0, 8, 0, 0, 0]),
        (
            .hostNumberOfCompletedPackets([CompletedPackets(handle: 1, count: 2)]),
            [0x35, 0x0C, 5, 1, 1, 0, 2, 0]
        ),
        (.setEventMaskPage2(0x80_0000), [0x63, 0x0C, 8, 0, 0, 0x80, 0, 0, 0, 0, 0]),
        (.readLocalExtendedFeatures(1), [0x04, 0x10, 1, 1]),
        (.readBDADDR(), [0x09, 0x10, 0]),
        (.readRSSI(1), [0x05, 0x14, 2, 1, 0]),
        (.leSetEventMask(LEEventMask(rawValue: 0x081F)), [0x01, 0x20, 8, 0x1F, 8, 0, 0, 0, 0, 0, 0]),
        (.leSetRandomAddress(strap), [0x05, 0x20, 6, 0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0]),
        (
            .leSetAdvertisingParameters(AdvertisingParameters(minimumInterval: 0xA0, maximumInterval: 0xA0)),
            [0x06, 0x20, 15, 0xA0, 0, 0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0]
        ),
        (.leSetAdvertisingData([2, 1, 6]), [0x08, 0x20, 32, 3, 2, 1, 6] + [UInt8](repeating: 0, count: 28)),
        (.leSetScanResponseData([]), [0x09, 0x20, 32, 0] + [UInt8](repeating: 0, count: 31)),
        (.leSetAdvertisingEnable(true), [0x0A, 0x20, 1, 1]),
        (
            .leSetScanParameters(
                ScanParameters(isActive: true, interval: 0x12, window: 0x12, ownAddress: .random)),
            [0x0B, 0x20, 7, 1, 0x12, 0, 0x12, 0, 1, 0]
        ),
        (.leSetScanEnable(true, true), [0x0C, 0x20, 2, 1, 1]),
        (
            .leCreateConnection(ConnectionCreation(to: strap, parameters: parameters)),
            [
                0x0D, 0x20, 25, 0x60, 0, 0x60, 0, 0, 1, 0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0, 0, 0x18, 0, 0x28, 0, 0, 0,
                0x2A, 0, 0, 0, 0, 0,
            ]
        ),
        (
            .leAddDeviceToFilterAcceptList(strap), [0x11, 0x20, 7, 1, 0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0]
        ),
        (
            .leAddDeviceToResolvingList(strap, Array(0..<16), Array(16..<32)),
            [0x27, 0x20, 39, 1, 0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0] + Array(0..<32)
        ),
        (.leSetPrivacyMode(strap, true), [0x4E, 0x20, 8, 1, 0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0, 1]),
        (
            .leConnectionUpdate(ConnectionUpdate(handle: 1, parameters: parameters)),
            [0x13, 0x20, 14, 1, 0, 0x18, 0, 0x28, 0, 0, 0, 0x2A, 0, 0, 0, 0, 0]
        ),
        (.leSetHostChannelClassification([0xFF, 0xFF, 0xFF, 0xFF, 0x1F]), [0x14, 0x20, 5, 255, 255, 255, 255, 31]),
        (
            .leEncrypt(Array(0..<16), Array(16..<32)), [0x17, 0x20, 32] + Array(0..<32)
        ),
        (
            .leEnableEncryption(
                1, 0x0807_0605_0403_0201, 0x0A09, Array(0..<16)),
            [0x19, 0x20, 28, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] + Array(0..<16)
        ),
        (.leLongTermKeyRequestReply(1, Array(0..<16)), [0x1A, 0x20, 18, 1, 0] + Array(0..<16)),
        (
            .leRemoteConnectionParameterRequestNegativeReply(1, .unacceptableConnectionParameters),
            [0x21, 0x20, 3, 1, 0, 0x3B]
        ),
        (
            .leSetDataLength(1, DataLength(octetCount: 251, microseconds: 2120)),
            [0x22, 0x20, 6, 1, 0, 251, 0, 0x48, 0x08]
        ),
        (
            .leWriteSuggestedDefaultDataLength(DataLength(octetCount: 251, microseconds: 2120)),
            [0x24, 0x20, 4, 251, 0, 0x48, 0x08]
        ),
        (.leReadLocalP256PublicKey(), [0x25, 0x20, 0]),
        (.leGenerateDHKey(Array(0..<32), Array(32..<64)), [0x26, 0x20, 64] + Array(0..<64)),
        (.leGenerateDHKeyV2(Array(0..<32), Array(32..<64), true), [0x5E, 0x20, 65] + Array(0..<64) + [1]),
        (.leSetResolvablePrivateAddressTimeout(900), [0x2E, 0x20, 2, 0x84, 0x03]),
        (.leSetDefaultPHY(0, 1, 1), [0x31, 0x20, 3, 0, 1, 1]),
        (Command(Opcode(rawValue: 0xFC01), parameters: [1, 2]), [0x01, 0xFC, 2, 1, 2]),
    ]

    @Test(arguments: table + ExtendedAdvertisingTests.commands)
    func `A command has these octets`(command: Command, octets: [UInt8]) throws {
        #expect(command.octets == octets)
        #expect(try Command(octets: octets) == command)
        #expect(command.opcode == Opcode(ofCommand: octets))
    }

    @Test func `Every declared kind is in the list, once`() throws {
        let source = try String(
            contentsOfFile: #filePath.replacing(
                "Tests/HCITests/CommandTests.swift", with: "Sources/Protocol/HCI/Commands.swift"),
            encoding: .utf8)
        #expect(Command.kinds.count == source.matches(of: /= CommandKind\(/).count)
        #expect(Set(Command.kinds.map(\.opcode)).count == Command.kinds.count)
        #expect(Set(Command.kinds.map(\.name)).count == Command.kinds.count)
        for kind in Command.kinds { #expect(kind.opcode.name == kind.name) }
        #expect(Opcode(rawValue: 0xFC01).name == "0xFC01" && Opcode(rawValue: 0xFC01).supportedBit == nil)
    }

    @Test(arguments: table + ExtendedAdvertisingTests.commands)
    func `A command that is read can be written again`(command: Command, octets: [UInt8]) throws {
        try command.check()
        for mutation in octets.mutations {
            guard let read = try? Command(octets: mutation) else { continue }
            #expect(mutation.count == octets.count)
            #expect(read.octets == mutation)
            guard (try? read.check()) != nil, let kind = Command.kinds.first(where: { $0.opcode == read.opcode })
            else { continue }
            let again = try kind.normalized(read)
            #expect(try kind.normalized(again) == again)
        }
    }

    @Test func `An error names a wrong length and a prohibited value`() {
        #expect(throws: Malformed.tooShort(field: "Parameters", at: 3, needs: 2, has: 1)) {
            try Command(octets: [0x0C, 0x20, 2, 1])
        }
        #expect(throws: Malformed.tooLong(at: 3, surplus: 1)) { try Command(octets: [0x03, 0x0C, 0, 7]) }
        #expect(throws: Malformed.tooLong(at: 3, surplus: 1)) { try Command(octets: [0x03, 0x0C, 1, 7]).check() }
        #expect(throws: Malformed.prohibited(field: "Advertising_Enable", at: 3, value: 2, allowed: "0 or 1")) {
            try Command(octets: [0x0A, 0x20, 1, 2]).check()
        }
        #expect(throws: Never.self) { try Command(octets: [0x01, 0xFC, 1, 7]).check() }
    }

    @Test func `Supported Commands has the bits of the specification`() throws {
        let kinds: [any AnyCommandKind] = [
            Command.disconnect, Command.reset, Command.leSetAdvertisingEnable, Command.leReadBufferSizeV2,
        ]
        let commands = SupportedCommands(kinds.map(\.opcode))
        var expected = [UInt8](repeating: 0, count: 64)
        (expected[0], expected[5], expected[26], expected[41]) = (0x20, 0x80, 0x02, 0x20)
        #expect(commands.octets == expected)
        #expect(commands.contains(Command.reset.opcode) && !commands.contains(Command.setEventMask.opcode))
        #expect(!commands.contains(Command.readLocalSupportedCommands.opcode))
        #expect(try SupportedCommands(octets: expected) == commands)
    }
}
