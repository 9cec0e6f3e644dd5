/// The type of an AD structure.  Assigned Numbers, section 2.3.
public struct ADType: Hashable, Sendable, CustomStringConvertible {
    /// The octet before the data, known or not.
    public let number: UInt8

    /// The type with this number.
    public init(_ number: UInt8) { self.number = number }

    /// `0x09`.
    public var description: String { (number < 16 ? "0x0" : "0x") + String(number, radix: 16, uppercase: true) }

    /// One octet or more: `AdvertisingFlags`.
    public static let flags = ADType(0x01)
    /// 16-bit service UUIDs, incomplete list.
    public static let incomplete16BitServices = ADType(0x02)
    /// 16-bit service UUIDs, complete list.
    public static let complete16BitServices = ADType(0x03)
    /// 128-bit service UUIDs, incomplete list.
    public static let incomplete128BitServices = ADType(0x06)
    /// 128-bit service UUIDs, complete list.
    public static let complete128BitServices = ADType(0x07)
    /// The beginning of the name, in UTF-8.
    public static let shortenedLocalName = ADType(0x08)
    /// The name, in UTF-8.
    public static let completeLocalName = ADType(0x09)
    /// The transmit power in dBm: one octet, two's complement.
    public static let txPowerLevel = ADType(0x0A)
    /// Security Manager TK Value: 16 octets.
    public static let temporaryKey = ADType(0x10)
    /// A 16-bit service UUID and that service's data.
    public static let serviceData16Bit = ADType(0x16)
    /// Two octets: `Appearance`.
    public static let appearance = ADType(0x19)
    /// LE Bluetooth Device Address: 6 octets, and an octet that is 1 for a random address.
    public static let deviceAddress = ADType(0x1B)
    /// LE Role: one octet, 0 for a device that is only a peripheral.
    public static let leRole = ADType(0x1C)
    /// A 128-bit service UUID and that service's data.
    public static let serviceData128Bit = ADType(0x21)
    /// LE Secure Connections Confirmation Value: 16 octets.
    public static let confirmationValue = ADType(0x22)
    /// LE Secure Connections Random Value: 16 octets.
    public static let randomValue = ADType(0x23)
    /// A company identifier of 2 octets and that company's data.
    public static let manufacturerSpecificData = ADType(0xFF)
}

/// Bits of the AD type Flags.  Core Specification Supplement 12, Part A, section 1.3.
public struct AdvertisingFlags: OptionSet, Hashable, Sendable {
    /// The first octet; further ones are reserved for future use.
    public let rawValue: UInt8

    /// The flags with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bit 0: LE Limited Discoverable Mode.
    public static let limitedDiscoverable = AdvertisingFlags(rawValue: 0x01)
    /// Bit 1: LE General Discoverable Mode.
    public static let generalDiscoverable = AdvertisingFlags(rawValue: 0x02)
    /// Bit 2: BR/EDR Not Supported.
    public static let lowEnergyOnly = AdvertisingFlags(rawValue: 0x04)
}
