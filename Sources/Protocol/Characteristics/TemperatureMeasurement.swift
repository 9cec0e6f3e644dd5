public import Basics

/// Temperature Measurement, 0x2A1C, and Intermediate Temperature, 0x2A1E.  Health Thermometer Service 1.0, sections 3.1
/// and 3.3.
///
/// | Octets | Field                         | Present when   | Unit                       |
/// |--------|-------------------------------|----------------|----------------------------|
/// | 1      | Flags                         | always         |                            |
/// | 4      | Temperature Measurement Value | always         | °C, or °F with bit 0       |
/// | 7      | Time Stamp                    | bit 1 of Flags |                            |
/// | 1      | Temperature Type              | bit 2 of Flags |                            |
///
/// Bits 3 to 7 of the Flags are reserved for future use: sent as 0 and ignored on receipt.
public struct TemperatureMeasurement: OctetCodable, Hashable, Sendable {
    /// The unit of the value: bit 0 of the Flags.
    public enum Unit: String, CaseIterable, Sendable {
        /// Degrees Celsius: 0.
        case celsius
        /// Degrees Fahrenheit: 1.
        case fahrenheit
    }

    /// The temperature in `unit`.
    public var value: MedicalFloat
    /// The unit of `value`.
    public var unit: Unit
    /// The time of the measurement.  Nil if the field is absent.
    public var timeStamp: DateTime?
    /// The location of the measurement.  Nil if the field is absent; Temperature Type, 0x2A1D, may give it instead.
    public var type: TemperatureType?

    /// A measurement; the optional fields default to absent.
    public init(
        _ value: MedicalFloat, unit: Unit = .celsius, timeStamp: DateTime? = nil, type: TemperatureType? = nil
    ) {
        (self.value, self.unit, self.timeStamp, self.type) = (value, unit, timeStamp, type)
    }

    /// A measurement of a temperature in °C, encoded in `unit` with this number of decimals; nil is encoded as NaN.
    public init(
        celsius: Double?, in unit: Unit = .celsius, decimals: Int = 1, timeStamp: DateTime? = nil,
        type: TemperatureType? = nil
    ) {
        let value = (celsius ?? .nan) * (unit == .celsius ? 1 : 1.8) + (unit == .celsius ? 0 : 32)
        self.init(MedicalFloat(value, decimals: decimals), unit: unit, timeStamp: timeStamp, type: type)
    }

    /// Reads all octets; throws if they end before a field that the flags announce, and for an invalid time stamp.
    ///
    /// Ignores reserved flags and octets after the last field.
    public init(from reader: inout OctetReader) throws(Malformed) {
        let flags = try reader.uint8("Flags")
        value = MedicalFloat(bits: try reader.uint32("Temperature Measurement Value"))
        unit = flags & Flag.fahrenheit == 0 ? .celsius : .fahrenheit
        timeStamp = flags & Flag.timeStamp == 0 ? nil : try DateTime(from: &reader)
        type = flags & Flag.type == 0 ? nil : try TemperatureType(from: &reader)
        reader.skipRest()
    }

    /// Appends the encoded value.
    public func append(to octets: inout [UInt8]) {
        let units = unit == .celsius ? 0 : Flag.fahrenheit
        octets.append(units | (timeStamp == nil ? 0 : Flag.timeStamp) | (type == nil ? 0 : Flag.type))
        octets.append(value.bits)
        timeStamp?.append(to: &octets)
        type?.append(to: &octets)
    }

    /// The temperature in °C, whatever the unit; nil for NaN and similar values, infinite for the infinities.
    public var celsius: Double? {
        value.value.map { unit == .celsius ? $0 : ($0 - 32) / 1.8 }
    }

    private enum Flag {
        static let fahrenheit: UInt8 = 0x01
        static let timeStamp: UInt8 = 0x02
        static let type: UInt8 = 0x04
    }
}
