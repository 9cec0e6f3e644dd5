/// How the data of an AD structure is to be read.  Assigned Numbers, section 2.3.
public struct ADType: Hashable, Sendable, CustomStringConvertible {
    /// The octet in front of the data; every number is allowed, known or not.
    public let number: UInt8

    /// The type with this number.
    public init(_ number: UInt8) { self.number = number }

    /// `0x09`.
    public var description: String { (number < 16 ? "0x0" : "0x") + String(number, radix: 16, uppercase: true) }

    /// One octet, or more: `AdvertisingFlags`.
    public static let flags = ADType(0x01)
    /// UUIDs of 2 octets: some of those that the device has.
    public static let incomplete16BitServices = ADType(0x02)
    /// UUIDs of 2 octets: all of those that the device has.
    public static let complete16BitServices = ADType(0x03)
    /// UUIDs of 16 octets: some of those that the device has.
    public static let incomplete128BitServices = ADType(0x06)
    /// UUIDs of 16 octets: all of those that the device has.
    public static let complete128BitServices = ADType(0x07)
    /// UTF-8: the beginning of the name.
    public static let shortenedLocalName = ADType(0x08)
    /// UTF-8: the name.
    public static let completeLocalName = ADType(0x09)
    /// One octet in two's complement, in dBm.
    public static let txPowerLevel = ADType(0x0A)
    /// A UUID of 2 octets and what that service wants to tell.
    public static let serviceData16Bit = ADType(0x16)
    /// Two octets.
    public static let appearance = ADType(0x19)
    /// A UUID of 16 octets and what that service wants to tell.
    public static let serviceData128Bit = ADType(0x21)
    /// A company identifier of 2 octets and what that company wants to tell.
    public static let manufacturerSpecificData = ADType(0xFF)
}

/// Bits of the AD type Flags.  Core Specification Supplement 12, Part A, section 1.3.
public struct AdvertisingFlags: OptionSet, Hashable, Sendable {
    /// The first octet; further ones are reserved for future use.
    public let rawValue: UInt8

    /// The flags with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bit 0: discoverable for a limited time.
    public static let limitedDiscoverable = AdvertisingFlags(rawValue: 0x01)
    /// Bit 1: discoverable as long as it advertises.
    public static let generalDiscoverable = AdvertisingFlags(rawValue: 0x02)
    /// Bit 2: there is no BR/EDR, Low Energy only.
    public static let lowEnergyOnly = AdvertisingFlags(rawValue: 0x04)
}
