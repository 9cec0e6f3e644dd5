public import Basics
public import Bluetooth
public import Cryptography

/// A command of the Security Manager Protocol, one per frame of its channel.  Core 6.0, Vol 3, Part H, sections 3.3, 3.5
/// and 3.6.
///
/// The first octet is the Code; the rest are the parameters, numbers with the least significant octet first.
public enum SecurityPDU: Hashable, Sendable {
    /// Code 0x01, 6 octets: the initiator starts pairing.
    case pairingRequest(PairingFeatures)
    /// Code 0x02, 6 octets: the responder accepts pairing.
    case pairingResponse(PairingFeatures)
    /// Code 0x03, 16 octets: commits to a random value, which is sent later.
    case pairingConfirm(UInt128)
    /// Code 0x04, 16 octets: a random value.
    case pairingRandom(UInt128)
    /// Code 0x05, 1 octet: pairing ends.
    case pairingFailed(PairingFailedReason)
    /// Code 0x06, 16 octets: the LTK that the sender uses as a peripheral.
    case encryptionInformation(longTermKey: UInt128)
    /// Code 0x07, 2 and 8 octets: the numbers EDIV and Rand, which identify that LTK.
    case centralIdentification(ediv: UInt16, rand: UInt64)
    /// Code 0x08, 16 octets: the sender's IRK.
    case identityInformation(UInt128)
    /// Code 0x09, 1 octet for the type and 6 for the address: the sender's public or static random address.
    case identityAddressInformation(DeviceAddress)
    /// Code 0x0A, 16 octets: the sender's CSRK.
    case signingInformation(UInt128)
    /// Code 0x0B, 1 octet: a peripheral asks for encryption or pairing.
    case securityRequest(AuthenticationRequirements)
    /// Code 0x0C, 32 and 32 octets: a public key of P-256; nil if it is not a point of the curve.
    case pairingPublicKey(P256PublicKey?)
    /// Code 0x0D, 16 octets: proves that the sender has computed the same key.
    case pairingDHKeyCheck(UInt128)
    /// Code 0x0E, 1 octet: what the user has just done with the passkey.
    case keypressNotification(Keypress)

    /// A key that the user has pressed while entering a passkey.  Section 3.5.8.
    public enum Keypress: UInt8, CaseIterable, Sendable {
        /// The user has begun to enter it.
        case started = 0
        /// The user has entered a digit.
        case digitEntered = 1
        /// The user has erased a digit.
        case digitErased = 2
        /// The user has erased all digits.
        case cleared = 3
        /// The user has entered all digits.
        case completed = 4
    }

    /// The maximum length, of Pairing Public Key, in octets.  Section 3.2.
    public static let maximumLength = 65

    /// Decodes the payload of a frame.
    ///
    /// - Returns: The command; nil if its code is reserved, so that a device ignores it (section 3.3).
    /// - Throws: `Malformed` for a wrong length or a prohibited value.
    public static func decode(_ octets: [UInt8]) throws(Malformed) -> SecurityPDU? {
        var reader = OctetReader(octets)
        guard let pdu = try SecurityPDU(try reader.uint8("Code"), from: &reader) else { return nil }
        try reader.finish()
        return pdu
    }

    private init?(_ code: UInt8, from reader: inout OctetReader) throws(Malformed) {
        switch code {
        case 0x01: self = .pairingRequest(try PairingFeatures(from: &reader))
        case 0x02: self = .pairingResponse(try PairingFeatures(from: &reader))
        case 0x03: self = .pairingConfirm(try reader.uint128("Confirm Value"))
        case 0x04: self = .pairingRandom(try reader.uint128("Random Value"))
        case 0x05: self = .pairingFailed(PairingFailedReason(rawValue: try reader.uint8("Reason")))
        case 0x06: self = .encryptionInformation(longTermKey: try reader.uint128("Long Term Key"))
        case 0x07: self = .centralIdentification(ediv: try reader.uint16("EDIV"), rand: try reader.uint64("Rand"))
        case 0x08: self = .identityInformation(try reader.uint128("Identity Resolving Key"))
        case 0x09:
            let kind: DeviceAddress.Kind = try reader.choice("AddrType", allowed: "0 or 1")
            self = .identityAddressInformation(try DeviceAddress(kind: kind, from: &reader, "BD_ADDR"))
        case 0x0A: self = .signingInformation(try reader.uint128("Signature Key"))
        case 0x0B: self = .securityRequest(AuthenticationRequirements(rawValue: try reader.uint8("AuthReq")))
        case 0x0C:
            let x = try reader.octets("Public Key X", count: 32)
            let y = try reader.octets("Public Key Y", count: 32)
            self = .pairingPublicKey(P256PublicKey(x: x.reversed(), y: y.reversed()))
        case 0x0D: self = .pairingDHKeyCheck(try reader.uint128("DHKey Check"))
        case 0x0E: self = .keypressNotification(try reader.choice("Notification Type", allowed: "0 to 4"))
        default: return nil
        }
    }

    /// The encoded command: the payload of a frame.
    public var octets: [UInt8] {
        switch self {
        case .pairingRequest(let features): [0x01] + features.octets
        case .pairingResponse(let features): [0x02] + features.octets
        case .pairingConfirm(let value): [0x03] + value.littleEndianOctets
        case .pairingRandom(let value): [0x04] + value.littleEndianOctets
        case .pairingFailed(let reason): [0x05, reason.rawValue]
        case .encryptionInformation(let key): [0x06] + key.littleEndianOctets
        case .centralIdentification(let ediv, let rand):
            [0x07] + ediv.littleEndianOctets + rand.littleEndianOctets
        case .identityInformation(let key): [0x08] + key.littleEndianOctets
        case .identityAddressInformation(let address): [0x09, address.kind.rawValue] + address.octets
        case .signingInformation(let key): [0x0A] + key.littleEndianOctets
        case .securityRequest(let requirements): [0x0B, requirements.rawValue]
        case .pairingPublicKey(let key):
            [0x0C] + (key.map { $0.x.reversed() + $0.y.reversed() } ?? [UInt8](repeating: 0, count: 64))
        case .pairingDHKeyCheck(let value): [0x0D] + value.littleEndianOctets
        case .keypressNotification(let keypress): [0x0E, keypress.rawValue]
        }
    }
}

extension OctetReader {
    fileprivate mutating func uint128(_ field: String) throws(Malformed) -> UInt128 {
        UInt128(mostSignificantFirst: try octets(field, count: 16).reversed())
    }
}

extension FixedWidthInteger {
    var littleEndianOctets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(littleEndian: self)
        return octets
    }

    /// The octets in the order in which the specification writes a number.
    var mostSignificantFirst: [UInt8] { littleEndianOctets.reversed() }

    /// The number with these octets; those that do not fit are lost.
    init(mostSignificantFirst octets: some Sequence<UInt8>) {
        self = octets.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}
