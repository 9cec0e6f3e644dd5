public import Basics
public import Bluetooth

/// The value of Appearance, 0x2A01: two octets.  Core 6.0, Vol 3, Part C, section 12.2.
extension Appearance: OctetCodable {
    /// Reads 2 octets.
    public init(from reader: inout OctetReader) throws(Malformed) { self.init(try reader.uint16("Appearance")) }

    /// Appends 2 octets.
    public func append(to octets: inout [UInt8]) { octets.append(number) }
}

/// Peripheral Preferred Connection Parameters, 0x2A04: 8 octets.  Core 6.0, Vol 3, Part C, section 12.3.
///
/// | Octets | Field              | Unit             | Allowed             |
/// |--------|--------------------|------------------|---------------------|
/// | 2      | Interval Min       | 1.25 ms          | 6 to 3200, or 65535 |
/// | 2      | Interval Max       | 1.25 ms          | 6 to 3200, or 65535 |
/// | 2      | Latency            | connection event | 0 to 499            |
/// | 2      | Timeout multiplier | 10 ms            | 10 to 3200, or 65535 |
public struct PreferredConnectionParameters: OctetCodable, Hashable, Sendable {
    /// The shortest interval, in units of 1.25 ms; nil (65535) for no preference.
    public let minimumInterval: UInt16?
    /// The longest interval, in units of 1.25 ms; nil (65535) for no preference.
    public let maximumInterval: UInt16?
    /// The number of connection events that the peripheral prefers to skip.
    public let latency: UInt16
    /// The supervision timeout, in units of 10 ms; nil (65535) for no preference.
    public let timeout: UInt16?

    /// Preferred parameters; nil if one is not allowed.
    public init?(minimumInterval: UInt16?, maximumInterval: UInt16?, latency: UInt16, timeout: UInt16?) {
        let (minimum, maximum) = (minimumInterval ?? 6, maximumInterval ?? 3200)
        guard (6...3200).contains(minimum), (6...3200).contains(maximum), minimum <= maximum, latency <= 499,
            (10...3200).contains(timeout ?? 10)
        else { return nil }
        (self.minimumInterval, self.maximumInterval) = (minimumInterval, maximumInterval)
        (self.latency, self.timeout) = (latency, timeout)
    }

    /// Reads 8 octets; throws unless each field is allowed.
    public init(from reader: inout OctetReader) throws(Malformed) {
        func field(_ name: String, _ allowed: ClosedRange<UInt16>) throws(Malformed) -> UInt16? {
            let value = try reader.uint16(name)
            if value == .max { return nil }
            try reader.check(
                allowed.contains(value), name, value,
                allowed: "\(allowed.lowerBound) to \(allowed.upperBound), or 65535")
            return value
        }
        minimumInterval = try field("Interval Min", 6...3200)
        maximumInterval = try field("Interval Max", (minimumInterval ?? 6)...3200)
        latency = try reader.uint16("Latency")
        try reader.check(latency <= 499, "Latency", latency, allowed: "0 to 499")
        timeout = try field("Timeout multiplier", 10...3200)
    }

    /// Appends 8 octets.
    public func append(to octets: inout [UInt8]) {
        for field in [minimumInterval ?? .max, maximumInterval ?? .max, latency, timeout ?? .max] {
            octets.append(field)
        }
    }
}
