public import Basics

/// Measurement Interval, 0x2A21: two octets, the seconds between measurements.  Health Thermometer Service 1.0,
/// section 3.4.
///
/// 0 means no periodic measurement.
public struct MeasurementInterval: OctetCodable, Hashable, Sendable {
    /// 0 to 65535.
    public let seconds: UInt16

    /// The ATT error for an interval outside the valid range: Out of Range.  Health Thermometer Service 1.0, Application
    /// Error Codes.
    public static let outOfRange: UInt8 = 0x80

    /// An interval in seconds.
    public init(seconds: UInt16) { self.seconds = seconds }

    /// Reads 2 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        seconds = try reader.uint16("Measurement Interval")
    }

    /// Appends 2 octets.
    public func append(to octets: inout [UInt8]) { octets.append(seconds) }
}

/// Valid Range, 0x2906, of a Measurement Interval: four octets.  Health Thermometer Service 1.0, section 3.4; GATT
/// Specification Supplement, Valid Range.
///
/// | Octets | Field                    |
/// |--------|--------------------------|
/// | 2      | lower inclusive value    |
/// | 2      | upper inclusive value    |
public struct MeasurementIntervalRange: OctetCodable, Hashable, Sendable {
    /// The intervals that a client may write; 0, which ends periodic measurements, only if the range contains it.
    public let seconds: ClosedRange<UInt16>

    /// A range of intervals in seconds.
    public init(seconds: ClosedRange<UInt16>) { self.seconds = seconds }

    /// Whether a client may write an interval; if not, the server answers `MeasurementInterval.outOfRange`.
    public func allows(_ interval: MeasurementInterval) -> Bool { seconds.contains(interval.seconds) }

    /// Reads 4 octets; throws if the upper value is below the lower.
    public init(from reader: inout OctetReader) throws(Malformed) {
        let lower = try reader.uint16("Lower inclusive value")
        let field = "Upper inclusive value"
        let upper = try reader.uint16(field)
        try reader.check(upper >= lower, field, upper, allowed: "\(lower) to 65535")
        seconds = lower...upper
    }

    /// Appends 4 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(seconds.lowerBound)
        octets.append(seconds.upperBound)
    }
}
