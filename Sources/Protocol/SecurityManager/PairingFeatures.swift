import Basics

/// What a device can display, and what its user can enter.  Core 6.0, Vol 3, Part H, sections 2.3.2 and 3.5.1.
public enum IOCapability: UInt8, CaseIterable, Sendable {
    /// Displays six digits; its user can enter nothing.
    case displayOnly = 0
    /// Displays six digits; its user can answer yes or no.
    case displayYesNo = 1
    /// Displays nothing; its user can enter six digits.
    case keyboardOnly = 2
    /// Displays nothing; its user can enter nothing.
    case noInputNoOutput = 3
    /// Displays six digits; its user can enter six digits, and answer yes or no.
    case keyboardDisplay = 4
}

/// The field AuthReq, one octet.  Core 6.0, Vol 3, Part H, section 3.5.1.
public struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
    /// The octet as it is sent, including bits that are reserved for future use.
    public let rawValue: UInt8

    /// The requirements with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bits 0 and 1 are 01: the device keeps the keys.
    public static let bonding = AuthenticationRequirements(rawValue: 0x01)
    /// Bit 2: pairing must authenticate the peer (protection against a man in the middle).
    public static let mitmProtection = AuthenticationRequirements(rawValue: 0x04)
    /// Bit 3: the device supports LE Secure Connections.
    public static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
    /// Bit 4: the device sends and receives Keypress Notifications.
    public static let keypress = AuthenticationRequirements(rawValue: 0x10)
}

/// The keys that a device distributes, one octet.  Core 6.0, Vol 3, Part H, section 3.6.1.
public struct KeyDistribution: OptionSet, Hashable, Sendable {
    /// The octet as it is sent, including bits that are reserved for future use.
    public let rawValue: UInt8

    /// The keys with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bit 0, EncKey: an LTK with EDIV and Rand; LE Secure Connections ignores it.
    public static let encryptionKey = KeyDistribution(rawValue: 0x01)
    /// Bit 1, IdKey: the IRK and the identity address.
    public static let identityKey = KeyDistribution(rawValue: 0x02)
    /// Bit 2, SignKey: the CSRK.
    public static let signingKey = KeyDistribution(rawValue: 0x04)

    /// All keys of LE.
    public static let all: KeyDistribution = [.encryptionKey, .identityKey, .signingKey]
}

/// The features of a device in Pairing Request and Pairing Response.  Core 6.0, Vol 3, Part H, section 3.5.1.
///
/// | Octets | Field                        | Meaning                                             |
/// |--------|------------------------------|-----------------------------------------------------|
/// | 1      | IO Capability                | 0 to 4                                              |
/// | 1      | OOB data flag                | 1: the device has received out-of-band data         |
/// | 1      | AuthReq                      | `AuthenticationRequirements`                        |
/// | 1      | Maximum Encryption Key Size  | 7 to 16 octets                                      |
/// | 1      | Initiator Key Distribution   | `KeyDistribution`                                   |
/// | 1      | Responder Key Distribution   | `KeyDistribution`                                   |
public struct PairingFeatures: Hashable, Sendable {
    /// What the device can display, and what its user can enter.
    public var ioCapability: IOCapability
    /// Whether the device has received the peer's data out of band.
    public var hasOutOfBandData: Bool
    /// The security that the device asks for.
    public var requirements: AuthenticationRequirements
    /// The maximum length of an encryption key, in octets: 7 to 16.
    public var maximumKeySize: UInt8
    /// The keys that the initiator is to distribute.
    public var initiatorKeys: KeyDistribution
    /// The keys that the responder is to distribute.
    public var responderKeys: KeyDistribution

    /// The six fields, in their order.
    public init(
        _ ioCapability: IOCapability, hasOutOfBandData: Bool = false, _ requirements: AuthenticationRequirements,
        maximumKeySize: UInt8 = 16, initiatorKeys: KeyDistribution, responderKeys: KeyDistribution
    ) {
        (self.ioCapability, self.hasOutOfBandData) = (ioCapability, hasOutOfBandData)
        (self.requirements, self.maximumKeySize) = (requirements, maximumKeySize)
        (self.initiatorKeys, self.responderKeys) = (initiatorKeys, responderKeys)
    }

    init(from reader: inout OctetReader) throws(Malformed) {
        ioCapability = try reader.choice("IO Capability", allowed: "0 to 4")
        let flag = try reader.uint8("OOB data flag")
        try reader.check(flag <= 1, "OOB data flag", flag, allowed: "0 or 1")
        hasOutOfBandData = flag == 1
        requirements = AuthenticationRequirements(rawValue: try reader.uint8("AuthReq"))
        maximumKeySize = try reader.uint8("Maximum Encryption Key Size")
        try reader.check(
            (7...16).contains(maximumKeySize), "Maximum Encryption Key Size", maximumKeySize, allowed: "7 to 16")
        initiatorKeys = KeyDistribution(rawValue: try reader.uint8("Initiator Key Distribution"))
        responderKeys = KeyDistribution(rawValue: try reader.uint8("Responder Key Distribution"))
    }

    /// The six octets as they are sent.
    var octets: [UInt8] {
        [
            ioCapability.rawValue, hasOutOfBandData ? 1 : 0, requirements.rawValue, maximumKeySize,
            initiatorKeys.rawValue, responderKeys.rawValue,
        ]
    }

    /// The parameter IOcap of f6: AuthReq, OOB data flag and IO Capability, the most significant octet first.  Section 2.2.8.
    var ioCap: [UInt8] { [requirements.rawValue, hasOutOfBandData ? 1 : 0, ioCapability.rawValue] }
}
