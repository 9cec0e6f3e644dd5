public import Octets

/// Measurement Interval, 0x2A21: two octets, the seconds between measurements.  Health Thermometer Service 1.0,
/// section 3.4.
///
/// 0 means no periodic measurement.
public struct MeasurementInterval: Hashable, Sendable {
    /// 0 to 65535.
    public let seconds: UInt16

    /// The ATT error for an interval outside the valid range: Out of Range.  Health Thermometer Service 1.0, Application
    /// Error Codes.
    public static let outOfRange: UInt8 = 0x80

    /// An interval in seconds.
    public init(seconds: UInt16) { self.seconds = seconds }

    /// Decodes a value; throws unless it has 2 octets.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        seconds = try reader.uint16("Measurement Interval")
        try reader.finish()
    }

    /// The encoded value.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(seconds)
        return octets
    }
}

/// Valid Range, 0x2906, of a Measurement Interval: four octets.  Health Thermometer Service 1.0, section 3.4; GATT
/// Specification Supplement, Valid Range.
///
/// | Octets | Field                    |
/// |--------|--------------------------|
/// | 2      | lower inclusive value    |
/// | 2      | upper inclusive value    |
public struct MeasurementIntervalRange: Hashable, Sendable {
    /// The intervals that a client may write; 0, which ends periodic measurements, only if the range contains it.
    public let seconds: ClosedRange<UInt16>

    /// A range of intervals in seconds.
    public init(seconds: ClosedRange<UInt16>) { self.seconds = seconds }

    /// Whether a client may write an interval; if not, the server answers `MeasurementInterval.outOfRange`.
    public func allows(_ interval: MeasurementInterval) -> Bool { seconds.contains(interval.seconds) }

    /// Decodes a value; throws unless it has 4 octets, and an upper value that is not below the lower.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        let lower = try reader.uint16("Lower inclusive value")
        let field = "Upper inclusive value"
        let upper = try reader.uint16(field)
        guard upper >= lower else {
            throw .prohibited(field: field, at: 2, value: Int(upper), allowed: "\(lower) to 65535")
        }
        try reader.finish()
        seconds = lower...upper
    }

    /// The encoded value.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(seconds.lowerBound)
        octets.append(seconds.upperBound)
        return octets
    }
}
