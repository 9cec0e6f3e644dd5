import Basics
import HCI
import Mutations
import Testing

@testable import VirtualRadio

struct CommandTests {
    /// The commands that Linux 6.1 and Bumble send to initialize a controller, as far as they are supported.
    @Test(arguments: [
        ("030C 00", "0E0401030C00"),
        ("0310 00", "0E0C010310000000000060000000"),
        ("0110 00", "0E0C0101100009000009FFFF0000"),
        ("0910 00", "0E0A01091000111111111111"),
        ("0320 00", "0E0C010320006900000000000000"),
        ("0220 00", "0E0701022000FB000C"),
        ("1C20 00", "0E0C011C2000FFFFFFFFFF030000"),
        ("010C 08 90E8040204800020", "0E0401010C00"),
        ("0120 08 0F00000000000000", "0E0401012000"),
        ("0720 00", "0E050107200000"),
        ("0F20 00", "0E05010F200010"),
        ("1020 00", "0E0401102000"),
        ("2F20 00", "0E0C012F2000FB004808FB004808"),
        ("2A20 00", "0E05012A200010"),
        ("2E20 02 8403", "0E04012E2000"),
        ("2E20 02 0000", "0E04012E2012"),
        ("2E20 02 110E", "0E04012E2012"),
        ("2320 00", "0E08012320001B004801"),
        ("2420 04 FB004808", "0E0401242000"),
        ("2420 04 1A004808", "0E0401242012"),
        ("2420 04 FC004808", "0E0401242012"),
        ("2420 04 FB004701", "0E0401242012"),
        ("2420 04 FB009142", "0E0401242012"),
        ("630C 08 0000800000000000", "0E0401630C00"),
        ("0520 06 15869F42372E", "0E0401052000"),
        ("0620 0F 2000200000000000000000000700", "0E0401062012"),
        ("0620 0F 20002000000000000000000000 07 00", "0E0401062000"),
        ("0B20 07 01120012000100", "0E04010B2000"),
        ("0A20 01 01", "0E04010A2000"),
        ("0510 00", "0F0401010510"),
        ("6020 00", "0F0401016020"),
        ("01FC 00", "0F04010101FC"),
    ])
    func answers(command: String, answer: String) {
        var harness = AirspaceHarness(controllers: 1)
        #expect(harness.ask(0, command) == [answer])
    }

    @Test func unsupportedCommandsAreUnknown() throws {
        var harness = AirspaceHarness(controllers: 1)
        let supported = try #require(harness.ask(0, "0210 00").first)
        let bits = octets(supported).dropFirst(6)
        #expect(bits.count == 64)
        for opcode in Command.kinds.map(\.opcode) {
            let isCapable = Capabilities.commands.contains(opcode)
            if let place = opcode.supportedBit {
                #expect((bits[6 + place.octet] >> place.bit & 1 == 1) == isCapable, "\(opcode)")
            }
            let (low, high) = (UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(opcode.rawValue >> 8))
            let answer = harness.ask(0, octets: [low, high, 0])
            let unknown = hex([0x0F, 4, 1, 1, low, high])
            #expect((answer == [unknown]) == !isCapable, "\(opcode): \(answer)")
        }
    }

    /// A feature requires its commands.
    @Test(arguments: [
        (
            LEFeatures.encryption,
            [
                Command.leEncrypt.opcode, Command.leEnableEncryption.opcode,
                Command.leLongTermKeyRequestReply.opcode, Command.leLongTermKeyRequestNegativeReply.opcode,
            ]
        ),
        (.connectionParametersRequest, [Command.leRemoteConnectionParameterRequestReply.opcode]),
        (.peripheralFeaturesExchange, [Command.leReadRemoteFeatures.opcode]),
        (
            .dataPacketLengthExtension,
            [
                Command.leSetDataLength.opcode, Command.leReadSuggestedDefaultDataLength.opcode,
                Command.leWriteSuggestedDefaultDataLength.opcode, Command.leReadMaximumDataLength.opcode,
            ]
        ),
        (
            .privacy,
            [
                Command.leAddDeviceToResolvingList.opcode, Command.leRemoveDeviceFromResolvingList.opcode,
                Command.leClearResolvingList.opcode, Command.leReadResolvingListSize.opcode,
                Command.leSetAddressResolutionEnable.opcode, Command.leSetResolvablePrivateAddressTimeout.opcode,
            ]
        ),
        (.phy2M, [Command.leReadPHY.opcode, Command.leSetDefaultPHY.opcode]),
    ])
    func featuresHaveTheirCommands(feature: LEFeatures, commands: [Opcode]) {
        let hasCommands = commands.allSatisfy(Capabilities.commands.contains)
        #expect(Capabilities.features.contains(feature) == hasCommands)
    }

    /// One well-formed command of each kind that has parameters.
    static let commands = [
        "0604 03 010013", "1D04 02 0100", "010C 08 FFFFFFFFFFFFFF3F", "030C 00", "0110 00", "0210 00", "0310 00",
        "0910 00", "0514 02 0100", "630C 08 0000800000000000", "0120 08 1F00000000000000", "0220 00", "0320 00",
        "0520 06 15869F4237EE", "0620 0F 200020000000000000000000000700", "0720 00",
        "0820 20 03020106" + String(repeating: "00", count: 28),
        "0920 20 03020106" + String(repeating: "00", count: 28), "0A20 01 01", "0B20 07 01100010000000",
        "0C20 02 0101", "0D20 19 60006000000022222222222200180028000000 2A00 0000 0000", "0E20 00", "0F20 00",
        "1020 00", "1120 07 00222222222222", "1220 07 00222222222222",
        "1320 0E 0100 1800 1800 0000 2A00 0000 0000", "1620 02 0100", "1820 00", "1C20 00",
        "2220 06 0100 FB004808", "2320 00", "2420 04 FB004808", "2F20 00",
        PrivacyTests.add("00222222222222"), "2820 07 00222222222222", "2920 00", "2A20 00", "2B20 07 00222222222222",
        "2C20 07 00222222222222", "2D20 01 01", "2E20 02 8403", "4E20 08 0022222222222201",
        "1720 20" + EncryptionTests.key + EncryptionTests.key, EncryptionTests.enable(), EncryptionTests.reply(),
        EncryptionTests.decline, "2520 00", KeyAgreementTests.generate(KeyAgreementTests.publicKey),
        KeyAgreementTests.generate(KeyAgreementTests.publicKey, version: 2),
    ]

    @Test func commandsAreComplete() {
        let opcodes = Self.commands.compactMap { Opcode(ofCommand: octets($0)) }
        #expect(Set(opcodes) == Set(Capabilities.commands))
        for command in Self.commands { #expect(throws: Never.self) { try Command(octets: octets(command)).check() } }
    }

    @Test(arguments: commands)
    func malformedCommandsAreAnswered(command: String) {
        for octets in octets(command).mutations where octets.count >= 2 {
            var harness = AirspaceHarness.unmasked(controllers: 2)
            let answers = harness.ask(0, octets: octets).filter { !$0.hasPrefix("3E") }
            let opcode = hex(Array(octets[..<2]))
            #expect(answers.count == 1, "\(hex(octets))")
            let isAnswer =
                answers.first.map { $0.hasPrefix("0E") && $0.dropFirst(6).hasPrefix(opcode) } == true
                || answers.first.map { $0.hasPrefix("0F04") && $0.hasSuffix(opcode) } == true
            #expect(isAnswer, "\(hex(octets)): \(answers)")
            harness.run(milliseconds: 20)
            #expect(harness.pool.taken == 0)
        }
    }

    @Test(arguments: [("0604 02 0100", "0F0412010604"), ("0D20 00", "0F0412010D20"), ("0A20 01 02", "0E04010A2012")])
    func malformedCommandsAreAnsweredByKind(command: String, answer: String) {
        var harness = AirspaceHarness(controllers: 1)
        #expect(harness.ask(0, command) == [answer])
    }

    @Test func randomAddressMustBeSetBeforeItIsUsed() {
        var harness = AirspaceHarness(controllers: 1)
        #expect(harness.ask(0, "0B20 07 01100010000100") == ["0E04010B2000"])
        #expect(harness.ask(0, "0C20 02 0100") == ["0E04010C2012"])
        #expect(harness.ask(0, "0520 06 15869F4237EE") == ["0E0401052000"])
        #expect(harness.ask(0, "0C20 02 0100") == ["0E04010C2000"])
        #expect(harness.ask(0, "0520 06 15869F4237EE") == ["0E040105200C"])
    }
}
