/// Body Sensor Location, 0x2A38: one octet.  Heart Rate Service 1.0, section 3.2.
///
/// Decoding keeps 7 to 255 (HRP/COL/HRF/BI-03-C).
public struct BodySensorLocation: NamedOctet {
    /// The octet.
    public let number: UInt8

    /// The location with this number, reserved or not.
    public init(_ number: UInt8) { self.number = number }

    /// `Body Sensor Location`.
    public static let field = "Body Sensor Location"

    /// The names of the numbers 0 to 6.
    public static let names = ["other", "chest", "wrist", "finger", "hand", "ear_lobe", "foot"]
}
