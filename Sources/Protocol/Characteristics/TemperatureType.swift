public import Octets

/// Temperature Type, 0x2A1D: one octet, the location of a measurement.  Health Thermometer Service 1.0, section 3.2.
///
/// Decoding keeps 0 and 10 to 255, which are reserved for future use.
public struct TemperatureType: Hashable, Sendable {
    /// The octet.
    public let number: UInt8

    /// The type with this number, reserved or not.
    public init(_ number: UInt8) { self.number = number }

    /// The type with one of `names`; nil for other text.
    public init?(name: String) {
        guard let index = Self.names.firstIndex(of: name) else { return nil }
        number = UInt8(truncatingIfNeeded: index + 1)
    }

    /// Decodes a value; throws unless it has one octet.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        number = try reader.uint8("Temperature Type")
        try reader.finish()
    }

    /// The encoded value.
    public var octets: [UInt8] { [number] }

    /// One of `names`; nil for a reserved number.
    public var name: String? { 1...Self.names.count ~= Int(number) ? Self.names[Int(number) - 1] : nil }

    /// The names of the numbers 1 to 9.
    public static let names = [
        "armpit", "body", "ear", "finger", "gastrointestinal_tract", "mouth", "rectum", "toe", "tympanum",
    ]
}
