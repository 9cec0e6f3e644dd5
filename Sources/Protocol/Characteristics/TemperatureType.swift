/// Temperature Type, 0x2A1D: one octet, the location of a measurement.  Health Thermometer Service 1.0, section 3.2.
public struct TemperatureType: NamedOctet {
    /// The octet.
    public let number: UInt8

    /// The type with this number, reserved or not.
    public init(_ number: UInt8) { self.number = number }

    /// `Temperature Type`.
    public static let field = "Temperature Type"

    /// 1.
    public static let first: UInt8 = 1

    /// The names of the numbers 1 to 9.
    public static let names = [
        "armpit", "body", "ear", "finger", "gastrointestinal_tract", "mouth", "rectum", "toe", "tympanum",
    ]
}
