import Basics
import HCI
import Mutations
import Testing

/// The return parameters of commands, after the status.
@Suite struct ReturnParametersTests {
    /// One kind of parameters, read from octets and written again.
    struct Kind: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let octets: [UInt8]
        let again: @Sendable ([UInt8]) throws -> [UInt8]

        init<Kept: OctetCodable>(_ parameters: Kept, _ octets: [UInt8]) {
            (testDescription, self.octets) = ("\(Kept.self)", octets)
            again = { octets in try Kept(octets: octets).octets }
        }
    }

    static let kinds = [
        Kind(
            LocalVersion(
                hciVersion: 0x0E, hciSubversion: 0x0102, linkLayerVersion: 9, company: 0xFFFF,
                linkLayerSubversion: 0x0304), [0x0E, 2, 1, 9, 0xFF, 0xFF, 4, 3]),
        Kind(LEBufferSize(length: 251, count: 8), [251, 0, 8]),
        Kind(HostBufferSize(aclLength: 0x03FD, aclCount: 0x0108), [0xFD, 3, 0, 8, 1, 0, 0]),
        Kind(LinkRSSI(handle: 0x0EFF, rssi: -40), [0xFF, 0x0E, 0xD8]),
        Kind(SupportedCommands([Command.disconnect.opcode]), [0x20] + [UInt8](repeating: 0, count: 63)),
        Kind(LEFeatures([.encryption, .dataPacketLengthExtension]), [0x21, 0, 0, 0, 0, 0, 0, 0]),
        Kind(LMPFeatures([.brEDRNotSupported, .leSupported]), [0, 0, 0, 0, 0x60, 0, 0, 0]),
    ]

    @Test(arguments: kinds)
    func `Parameters have these octets`(kind: Kind) throws {
        #expect(try kind.again(kind.octets) == kind.octets)
    }

    @Test(arguments: kinds)
    func `No octets trap, and parameters that are read can be written again`(kind: Kind) throws {
        for mutation in kind.octets.mutations {
            guard let again = try? kind.again(mutation) else { continue }
            #expect(mutation.count == kind.octets.count)
            #expect(try kind.again(again) == again)
        }
        #expect(throws: Malformed.self) { try kind.again(kind.octets + [0]) }
    }
}
