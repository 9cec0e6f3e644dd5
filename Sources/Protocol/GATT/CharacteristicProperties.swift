/// Characteristic Properties: the first octet of a characteristic's declaration.  Core 6.0, Vol 3, Part G,
/// section 3.3.1.1.
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The octet.
    public let rawValue: UInt8

    /// The properties with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bit 0, 0x01: may be broadcast, enabled by the Server Characteristic Configuration.
    public static let broadcast = CharacteristicProperties(rawValue: 0x01)
    /// Bit 1, 0x02: may be read.
    public static let read = CharacteristicProperties(rawValue: 0x02)
    /// Bit 2, 0x04: may be written by `ATT_WRITE_CMD`.
    public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    /// Bit 3, 0x08: may be written by `ATT_WRITE_REQ`.
    public static let write = CharacteristicProperties(rawValue: 0x08)
    /// Bit 4, 0x10: may be notified, enabled by the Client Characteristic Configuration.
    public static let notify = CharacteristicProperties(rawValue: 0x10)
    /// Bit 5, 0x20: may be indicated, enabled by the Client Characteristic Configuration.
    public static let indicate = CharacteristicProperties(rawValue: 0x20)
    /// Bit 6, 0x40: may be written by `ATT_SIGNED_WRITE_CMD`.
    public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 0x40)
    /// Bit 7, 0x80: the descriptor Characteristic Extended Properties has more.
    public static let extendedProperties = CharacteristicProperties(rawValue: 0x80)
}

/// Client Characteristic Configuration, two octets.  Core 6.0, Vol 3, Part G, section 3.3.3.3.
public struct ClientConfiguration: OptionSet, Hashable, Sendable {
    /// The value of the descriptor.
    public let rawValue: UInt16

    /// The configuration with these bits; those above bit 1 are reserved.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Bit 0, 0x0001: notify the value.
    public static let notification = ClientConfiguration(rawValue: 0x0001)
    /// Bit 1, 0x0002: indicate the value.
    public static let indication = ClientConfiguration(rawValue: 0x0002)
}
