public import Basics

/// Oxygen saturation and pulse rate: two SFLOATs, four octets.  Pulse Oximeter Service 1.0.1, section 3.1.
public struct SpO2PR: Hashable, Sendable {
    /// Oxygen saturation in percent.
    public var spo2: MedicalShortFloat
    /// Beats per minute.
    public var pulseRate: MedicalShortFloat

    /// A pair of numbers or special values.
    public init(spo2: MedicalShortFloat, pulseRate: MedicalShortFloat) {
        (self.spo2, self.pulseRate) = (spo2, pulseRate)
    }

    fileprivate init(_ reader: inout OctetReader, _ field: String) throws(Malformed) {
        spo2 = MedicalShortFloat(bits: try reader.uint16("\(field) - SpO2"))
        pulseRate = MedicalShortFloat(bits: try reader.uint16("\(field) - PR"))
    }

    fileprivate func append(to packet: inout Packet, in pool: inout PacketPool) {
        pool.append(spo2.bits, to: &packet)
        pool.append(pulseRate.bits, to: &packet)
    }

    fileprivate func append(to octets: inout [UInt8]) {
        octets.append(spo2.bits)
        octets.append(pulseRate.bits)
    }
}

/// Measurement Status of a pulse oximeter: 16 bits, of which 0 to 4 are reserved for future use.  Pulse Oximeter Service
/// 1.0.1, section 3.1.
public struct PLXMeasurementStatus: OptionSet, Hashable, Sendable {
    /// All bits.
    public let rawValue: UInt16
    /// Any bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Bit 5.
    public static let measurementOngoing = Self(rawValue: 1 << 5)
    /// Bit 8.
    public static let fullyQualifiedData = Self(rawValue: 1 << 8)
    /// Bit 13.
    public static let measurementUnavailable = Self(rawValue: 1 << 13)
    /// Bits 0 to 4.
    public static let reserved = Self(rawValue: 0x001F)
    /// From bit 5 on.
    static let names = [
        "measurement_ongoing", "early_estimated_data", "validated_data", "fully_qualified_data",
        "data_from_measurement_storage", "data_for_demonstration", "data_for_testing", "calibration_ongoing",
        "measurement_unavailable", "questionable_measurement_detected", "invalid_measurement_detected",
    ]
}

/// Device and Sensor Status of a pulse oximeter: 24 bits, of which 16 to 23 are reserved for future use.  Pulse Oximeter
/// Service 1.0.1, section 3.1.
public struct PLXSensorStatus: OptionSet, Hashable, Sendable {
    /// The lower 24 bits.
    public let rawValue: UInt32
    /// The lower 24 bits of a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue & 0x00FF_FFFF }

    /// Bit 11.
    public static let unconnectedToUser = Self(rawValue: 1 << 11)
    /// Bits 16 to 23.
    public static let reserved = Self(rawValue: 0x00FF_0000)
    /// From bit 0 on.
    static let names = [
        "extended_display_update_ongoing", "equipment_malfunction_detected",
        "signal_processing_irregularity_detected", "inadequate_signal_detected", "poor_signal_detected",
        "low_perfusion_detected", "erratic_signal_detected", "nonpulsatile_signal_detected",
        "questionable_pulse_detected", "signal_analysis_ongoing", "sensor_interference_detected",
        "sensor_unconnected_to_user", "unknown_sensor_connected", "sensor_displaced", "sensor_malfunctioning",
        "sensor_disconnected",
    ]
}

/// The optional fields that end both measurements.
public struct PLXDetails: Hashable, Sendable {
    /// Nil if the field is absent.
    public var measurementStatus: PLXMeasurementStatus?
    /// Nil if the field is absent.
    public var sensorStatus: PLXSensorStatus?
    /// Pulse Amplitude Index in percent.  Nil if the field is absent.
    public var amplitude: MedicalShortFloat?

    /// All fields are absent by default.
    public init(
        measurementStatus: PLXMeasurementStatus? = nil, sensorStatus: PLXSensorStatus? = nil,
        amplitude: MedicalShortFloat? = nil
    ) {
        (self.measurementStatus, self.sensorStatus, self.amplitude) = (measurementStatus, sensorStatus, amplitude)
    }

    /// Reads the fields that three consecutive flags announce; `flags` begins with that of Measurement Status.
    fileprivate init(_ reader: inout OctetReader, flags: UInt8) throws(Malformed) {
        if flags & 0x01 != 0 { measurementStatus = .init(rawValue: try reader.uint16("Measurement Status")) }
        if flags & 0x02 != 0 { sensorStatus = .init(rawValue: try reader.uint24("Device and Sensor Status")) }
        if flags & 0x04 != 0 { amplitude = .init(bits: try reader.uint16("Pulse Amplitude Index")) }
    }

    fileprivate var flags: UInt8 {
        (measurementStatus == nil ? 0 : 0x01) | (sensorStatus == nil ? 0 : 0x02) | (amplitude == nil ? 0 : 0x04)
    }

    fileprivate func append(to packet: inout Packet, in pool: inout PacketPool) {
        if let measurementStatus { pool.append(measurementStatus.rawValue, to: &packet) }
        if let sensorStatus {
            pool.append(UInt16(truncatingIfNeeded: sensorStatus.rawValue), to: &packet)
            pool.append(UInt8(truncatingIfNeeded: sensorStatus.rawValue >> 16), to: &packet)
        }
        if let amplitude { pool.append(amplitude.bits, to: &packet) }
    }

    fileprivate func append(to octets: inout [UInt8]) {
        if let measurementStatus { octets.append(measurementStatus.rawValue) }
        if let sensorStatus { octets.append(uint24: sensorStatus.rawValue) }
        if let amplitude { octets.append(amplitude.bits) }
    }
}

/// PLX Continuous Measurement, 0x2A5F.  Pulse Oximeter Service 1.0.1, section 3.2.
///
/// | Octets | Field                    | Present when   | Unit     |
/// |--------|--------------------------|----------------|----------|
/// | 1      | Flags                    | always         |          |
/// | 2 + 2  | SpO2PR-Normal            | always         | %, 1/min |
/// | 2 + 2  | SpO2PR-Fast              | bit 0 of Flags | %, 1/min |
/// | 2 + 2  | SpO2PR-Slow              | bit 1 of Flags | %, 1/min |
/// | 2      | Measurement Status       | bit 2 of Flags |          |
/// | 3      | Device and Sensor Status | bit 3 of Flags |          |
/// | 2      | Pulse Amplitude Index    | bit 4 of Flags | %        |
///
/// Bits 5 to 7 of the Flags are reserved for future use: sent as 0 and ignored on receipt.
public struct PLXContinuousMeasurement: OctetCodable, Hashable, Sendable {
    /// SpO2PR-Normal: the usual averages.
    public var normal: SpO2PR
    /// Averages that respond faster.  Nil if the field is absent.
    public var fast: SpO2PR?
    /// Averages that respond slower.  Nil if the field is absent.
    public var slow: SpO2PR?
    /// The other optional fields.
    public var details: PLXDetails

    /// A measurement; the optional fields are absent by default.
    public init(_ normal: SpO2PR, fast: SpO2PR? = nil, slow: SpO2PR? = nil, details: PLXDetails = PLXDetails()) {
        (self.normal, self.fast, self.slow, self.details) = (normal, fast, slow, details)
    }

    /// Reads all octets; throws if they end before a field that the flags announce.
    ///
    /// Ignores reserved flags and octets after the last field.
    public init(from reader: inout OctetReader) throws(Malformed) {
        let flags = try reader.uint8("Flags")
        normal = try SpO2PR(&reader, "SpO2PR-Normal")
        fast = flags & 0x01 == 0 ? nil : try SpO2PR(&reader, "SpO2PR-Fast")
        slow = flags & 0x02 == 0 ? nil : try SpO2PR(&reader, "SpO2PR-Slow")
        details = try PLXDetails(&reader, flags: flags >> 2)
        reader.skipRest()
    }

    /// Appends the encoded value to a packet with room for 20 octets, without allocating.
    public func append(to packet: inout Packet, in pool: inout PacketPool) {
        pool.append(flags, to: &packet)
        normal.append(to: &packet, in: &pool)
        fast?.append(to: &packet, in: &pool)
        slow?.append(to: &packet, in: &pool)
        details.append(to: &packet, in: &pool)
    }

    /// Appends the encoded value.
    public func append(to octets: inout [UInt8]) {
        octets.append(flags)
        normal.append(to: &octets)
        fast?.append(to: &octets)
        slow?.append(to: &octets)
        details.append(to: &octets)
    }

    private var flags: UInt8 { (fast == nil ? 0 : 0x01) | (slow == nil ? 0 : 0x02) | details.flags << 2 }
}

/// PLX Spot-Check Measurement, 0x2A5E.  Pulse Oximeter Service 1.0.1, section 3.1.
///
/// | Octets | Field                    | Present when   | Unit     |
/// |--------|--------------------------|----------------|----------|
/// | 1      | Flags                    | always         |          |
/// | 2 + 2  | SpO2PR-Spot-Check        | always         | %, 1/min |
/// | 7      | Timestamp                | bit 0 of Flags |          |
/// | 2      | Measurement Status       | bit 1 of Flags |          |
/// | 3      | Device and Sensor Status | bit 2 of Flags |          |
/// | 2      | Pulse Amplitude Index    | bit 3 of Flags | %        |
///
/// Bit 4 of the Flags: the clock of the device is not set.  Bits 5 to 7 are reserved for future use: sent as 0 and
/// ignored on receipt.
public struct PLXSpotCheckMeasurement: OctetCodable, Hashable, Sendable {
    /// SpO2PR-Spot-Check.
    public var value: SpO2PR
    /// The time of the measurement.  Nil if the field is absent.
    public var timeStamp: DateTime?
    /// False: the time stamp counts from an arbitrary date.
    public var isClockSet: Bool
    /// The other optional fields.
    public var details: PLXDetails

    /// A measurement; the optional fields are absent by default.
    public init(
        _ value: SpO2PR, timeStamp: DateTime? = nil, isClockSet: Bool = true, details: PLXDetails = PLXDetails()
    ) {
        (self.value, self.timeStamp, self.isClockSet, self.details) = (value, timeStamp, isClockSet, details)
    }

    /// Reads all octets; throws if they end before a field that the flags announce, and for an invalid time stamp.
    ///
    /// Ignores reserved flags and octets after the last field.
    public init(from reader: inout OctetReader) throws(Malformed) {
        let flags = try reader.uint8("Flags")
        value = try SpO2PR(&reader, "SpO2PR-Spot-Check")
        timeStamp = flags & 0x01 == 0 ? nil : try DateTime(from: &reader)
        details = try PLXDetails(&reader, flags: flags >> 1)
        isClockSet = flags & 0x10 == 0
        reader.skipRest()
    }

    /// Appends at most 19 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append((timeStamp == nil ? 0 : 0x01) | details.flags << 1 | (isClockSet ? 0 : 0x10))
        value.append(to: &octets)
        timeStamp?.append(to: &octets)
        details.append(to: &octets)
    }
}

/// PLX Features, 0x2A60.  Pulse Oximeter Service 1.0.1, section 3.3.
///
/// | Octets | Field                            | Present when                |
/// |--------|----------------------------------|-----------------------------|
/// | 2      | Supported Features               | always                      |
/// | 2      | Measurement Status Support       | bit 0 of Supported Features |
/// | 3      | Device and Sensor Status Support | bit 1 of Supported Features |
public struct PLXFeatures: OctetCodable, Hashable, Sendable {
    /// Supported Features without bits 0 and 1; 8 to 15 are reserved for future use.
    public struct Supported: OptionSet, Hashable, Sendable {
        /// All bits.
        public let rawValue: UInt16
        /// Any bits but 0 and 1, which announce fields.
        public init(rawValue: UInt16) { self.rawValue = rawValue & ~0x0003 }

        /// Bit 3: spot-check measurements have a time stamp.
        public static let timeStamp = Self(rawValue: 1 << 3)
        /// Bit 4: continuous measurements have SpO2PR-Fast.
        public static let fast = Self(rawValue: 1 << 4)
        /// Bit 5: continuous measurements have SpO2PR-Slow.
        public static let slow = Self(rawValue: 1 << 5)
        /// Bit 6: measurements have a Pulse Amplitude Index.
        public static let amplitude = Self(rawValue: 1 << 6)
        /// Bits 8 to 15.
        public static let reserved = Self(rawValue: 0xFF00)
        /// From bit 0 on.
        static let names = [
            "measurement_status", "device_and_sensor_status", "measurement_storage", "timestamp", "spo2pr_fast",
            "spo2pr_slow", "pulse_amplitude_index", "multiple_bonds",
        ]
    }

    /// Supported Features.
    public var supported: Supported
    /// The bits of Measurement Status that the device can set.  Nil if the field is absent.
    public var measurementStatus: PLXMeasurementStatus?
    /// The bits of Device and Sensor Status that the device can set.  Nil if the field is absent.
    public var sensorStatus: PLXSensorStatus?

    /// Features; the optional fields are absent by default.
    public init(
        _ supported: Supported, measurementStatus: PLXMeasurementStatus? = nil, sensorStatus: PLXSensorStatus? = nil
    ) {
        (self.supported, self.measurementStatus, self.sensorStatus) = (supported, measurementStatus, sensorStatus)
    }

    /// Reads all octets; throws if they end before a field that the bits announce.
    ///
    /// Ignores octets after the last field.
    public init(from reader: inout OctetReader) throws(Malformed) {
        let bits = try reader.uint16("Supported Features")
        supported = Supported(rawValue: bits)
        let details = try PLXDetails(&reader, flags: UInt8(truncatingIfNeeded: bits & 0x0003))
        (measurementStatus, sensorStatus) = (details.measurementStatus, details.sensorStatus)
        reader.skipRest()
    }

    /// Appends the encoded value.
    public func append(to octets: inout [UInt8]) {
        octets.append(bits)
        details.append(to: &octets)
    }

    fileprivate var bits: UInt16 { supported.rawValue | UInt16(details.flags) }

    private var details: PLXDetails { PLXDetails(measurementStatus: measurementStatus, sensorStatus: sensorStatus) }
}

// MARK: JSON

extension PLXContinuousMeasurement: JSONWritable {
    /// Appends `{"spo2": 97, "pulse_rate": 62, "fast": {…}, "slow": {…}, "measurement_status": […], "sensor_status": […],
    /// "contact": true, "amplitude": 1.5}`.
    ///
    /// A special value is null, and the keys of absent fields are absent.  `contact` is false while Device and Sensor
    /// Status has Sensor Unconnected to User.
    public func write(to text: inout JSONText) {
        text.append("{")
        normal.write(to: &text)
        fast?.write(after: ", \"fast\": {", to: &text)
        slow?.write(after: ", \"slow\": {", to: &text)
        details.write(to: &text)
        text.append("}")
    }
}

extension PLXSpotCheckMeasurement: JSONWritable {
    /// Appends `{"spo2": 97, "pulse_rate": 62, "timestamp": "2000-01-01T00:00:00", "clock_set": false}`, and the details
    /// as in a PLX Continuous Measurement.
    ///
    /// `clock_set` is absent if the clock is set.
    public func write(to text: inout JSONText) {
        text.append("{")
        value.write(to: &text)
        if let timeStamp {
            text.append(", \"timestamp\": ")
            text.append(quoted: timeStamp.description)
        }
        if !isClockSet { text.append(", \"clock_set\": false") }
        details.write(to: &text)
        text.append("}")
    }
}

extension PLXFeatures: JSONWritable {
    /// Appends the names of the supported features: `["timestamp", "pulse_amplitude_index"]`.
    public func write(to text: inout JSONText) { text.append(bits: UInt32(bits), names: Supported.names) }
}

extension SpO2PR {
    fileprivate func write(to text: inout JSONText) {
        text.append("\"spo2\": ")
        text.append(spo2)
        text.append(", \"pulse_rate\": ")
        text.append(pulseRate)
    }

    fileprivate func write(after opening: StaticString, to text: inout JSONText) {
        text.append(opening)
        write(to: &text)
        text.append("}")
    }
}

extension PLXDetails {
    fileprivate func write(to text: inout JSONText) {
        if let measurementStatus {
            text.append(", \"measurement_status\": ")
            text.append(bits: UInt32(measurementStatus.rawValue >> 5), names: PLXMeasurementStatus.names)
        }
        if let sensorStatus {
            text.append(", \"sensor_status\": ")
            text.append(bits: sensorStatus.rawValue, names: PLXSensorStatus.names)
            text.append(sensorStatus.contains(.unconnectedToUser) ? ", \"contact\": false" : ", \"contact\": true")
        }
        if let amplitude {
            text.append(", \"amplitude\": ")
            text.append(amplitude)
        }
    }
}

extension JSONText {
    /// Appends a number with at most three decimals; null for a special value.
    public mutating func append(_ number: MedicalShortFloat) {
        if let value = number.value, value.isFinite { append(decimal: value) } else { append("null") }
    }

    /// Appends the names of the bits that are set, from bit 0 on.
    fileprivate mutating func append(bits: UInt32, names: [String]) {
        let set = names.enumerated().lazy.filter { bits >> UInt32($0.offset) & 1 == 1 }
        append(list: set) { $0.append(quoted: $1.element) }
    }
}
