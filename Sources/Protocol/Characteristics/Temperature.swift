public import Basics

/// Temperature, 0x2A6E: two octets, hundredths of a degree Celsius.  GATT Specification Supplement, Temperature.
///
/// -27315 to 32767; -32768 means not known.
public struct Temperature: OctetCodable, Hashable, Sendable {
    /// In units of 0.01 °C, -27315 to 32767; nil if not known.
    public let hundredths: Int16?

    /// The nearest temperature from -273.15 °C to 327.67 °C; not known for nil and NaN.
    public init(celsius: Double?) {
        hundredths = (celsius ?? .nan).isNaN ? nil : Int16(min(max((celsius ?? 0) * 100, -27315), 32767).rounded())
    }

    /// Reads two octets, the last ones; throws for temperatures below -273.15 °C.
    public init(from reader: inout OctetReader) throws(Malformed) {
        let number = Int16(bitPattern: try reader.uint16("Temperature"))
        try reader.finish()
        try reader.check(
            number >= -27315 || number == .min, "Temperature", number, allowed: "-27315 to 32767, or -32768")
        hundredths = number == .min ? nil : number
    }

    /// In °C; nil if not known.
    public var celsius: Double? { hundredths.map { Double($0) / 100 } }

    /// Appends two octets.
    public func append(to octets: inout [UInt8]) { octets.append(littleEndian: hundredths ?? .min) }
}
