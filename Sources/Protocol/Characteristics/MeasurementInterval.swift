public import Octets

/// Measurement Interval, 0x2A21: two octets, the seconds between measurements.  Health Thermometer Service 1.0,
/// section 3.4.
///
/// 0: nothing is measured periodically.
public struct MeasurementInterval: Hashable, Sendable {
    /// 0 to 65535.
    public let seconds: UInt16

    /// What a server answers to an interval outside its valid range.  Health Thermometer Service 1.0, Application Error Codes.
    public static let outOfRange: UInt8 = 0x80

    /// So many seconds.
    public init(seconds: UInt16) { self.seconds = seconds }

    /// Reads a value as it came; throws unless it has 2 octets.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        seconds = try reader.uint16("Measurement Interval")
        try reader.finish()
    }

    /// The value as it is sent.
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
    /// The intervals that a client may write: 0, which ends periodic measurements, only when it is one of them.
    public let seconds: ClosedRange<UInt16>

    /// All intervals from the lower to the upper.
    public init(seconds: ClosedRange<UInt16>) { self.seconds = seconds }

    /// Whether a client may write it; if not, the answer is `MeasurementInterval.outOfRange`.
    public func allows(_ interval: MeasurementInterval) -> Bool { seconds.contains(interval.seconds) }

    /// Reads a value as it came; throws unless it has 4 octets, and for a range that ends before it begins.
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

    /// The value as it is sent.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(seconds.lowerBound)
        octets.append(seconds.upperBound)
        return octets
    }
}
