public import Octets

/// Body Sensor Location, 0x2A38: one octet.  Heart Rate Service 1.0, section 3.2.
///
/// Decoding keeps 7 to 255, which are reserved for future use (HRP/COL/HRF/BI-03-C).
public struct BodySensorLocation: Hashable, Sendable {
    /// The octet.
    public let number: UInt8

    /// The location with this number, reserved or not.
    public init(_ number: UInt8) { self.number = number }

    /// The location with one of `names`; nil for other text.
    public init?(name: String) {
        guard let index = Self.names.firstIndex(of: name) else { return nil }
        number = UInt8(truncatingIfNeeded: index)
    }

    /// Decodes a value; throws unless it has one octet.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        number = try reader.uint8("Body Sensor Location")
        try reader.finish()
    }

    /// The encoded value.
    public var octets: [UInt8] { [number] }

    /// One of `names`; nil for a reserved number.
    public var name: String? { Int(number) < Self.names.count ? Self.names[Int(number)] : nil }

    /// The names of the numbers 0 to 6.
    public static let names = ["other", "chest", "wrist", "finger", "hand", "ear_lobe", "foot"]
}
