public import Octets

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
/// Bits 3 to 7 of the Flags are reserved for future use: sent as 0 and ignored when received.
public struct TemperatureMeasurement: Hashable, Sendable {
    /// In what a temperature is said: bit 0 of the Flags.
    public enum Unit: String, CaseIterable, Sendable {
        /// °C: 0.
        case celsius
        /// °F: 1.
        case fahrenheit
    }

    /// The number, in `unit`.
    public var value: MedicalFloat
    /// In what it is said.
    public var unit: Unit
    /// When it was taken.  Nil: the field is left out.
    public var timeStamp: DateTime?
    /// Where it was taken.  Nil: the field is left out, as it is where 0x2A1D says it once for all.
    public var type: TemperatureType?

    /// A measurement; what is not said is left out.
    public init(
        _ value: MedicalFloat, unit: Unit = .celsius, timeStamp: DateTime? = nil, type: TemperatureType? = nil
    ) {
        (self.value, self.unit, self.timeStamp, self.type) = (value, unit, timeStamp, type)
    }

    /// A temperature of a body, said in `unit` with so many decimals; without one it is no number.
    public init(
        celsius: Double?, in unit: Unit = .celsius, decimals: Int = 1, timeStamp: DateTime? = nil,
        type: TemperatureType? = nil
    ) {
        let value = (celsius ?? .nan) * (unit == .celsius ? 1 : 1.8) + (unit == .celsius ? 0 : 32)
        self.init(MedicalFloat(value, decimals: decimals), unit: unit, timeStamp: timeStamp, type: type)
    }

    /// Reads a value as it came; throws when it ends before a field that its flags promise, and for a time stamp that is
    /// none.  Reserved flags and octets after the last field are ignored.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        let flags = try reader.uint8("Flags")
        value = MedicalFloat(bits: try reader.uint32("Temperature Measurement Value"))
        unit = flags & Flag.fahrenheit == 0 ? .celsius : .fahrenheit
        timeStamp = flags & Flag.timeStamp == 0 ? nil : try DateTime(&reader)
        type = flags & Flag.type == 0 ? nil : TemperatureType(try reader.uint8("Temperature Type"))
    }

    /// The value as it is sent.
    public var octets: [UInt8] {
        let units = unit == .celsius ? 0 : Flag.fahrenheit
        var octets = [units | (timeStamp == nil ? 0 : Flag.timeStamp) | (type == nil ? 0 : Flag.type)]
        octets.append(value.bits)
        if let timeStamp { octets += timeStamp.octets }
        if let type { octets += type.octets }
        return octets
    }

    /// In °C, whatever it is said in; nil for what is no number, and infinite where the value is.
    public var celsius: Double? {
        value.value.map { unit == .celsius ? $0 : ($0 - 32) / 1.8 }
    }

    private enum Flag {
        static let fahrenheit: UInt8 = 0x01
        static let timeStamp: UInt8 = 0x02
        static let type: UInt8 = 0x04
    }
}
