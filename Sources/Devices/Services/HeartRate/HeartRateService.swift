import Bluetooth
public import Characteristics
import GATT
public import Octets
public import Sensors
import Spelling

extension ServiceDescription {
    /// The Heart Rate Service, 0x180D.  Heart Rate Service 1.0.
    public static let heartRate = ServiceDescription(
        "heart_rate", .heartRate,
        fields: [
            HeartRateFields.rate.description, HeartRateFields.period.description, HeartRateFields.format.description,
            HeartRateFields.contact.description, HeartRateFields.energy.description,
            HeartRateFields.rrIntervals.description, HeartRateFields.rrPerNotification.description,
            HeartRateFields.location.description,
        ],
        characteristics: [
            CharacteristicDescription(
                .heartRateMeasurement, "Heart Rate Measurement", .notify, format: HeartRateMeasurement.self,
                value: .number(in: HeartRateFields.numbers, unit: "bpm", key: "bpm"),
                members: [
                    .truth("contact", key: "contact", field: HeartRateFields.contact.key),
                    .number(
                        "energy_kj", in: HeartRateFields.numbers, unit: "kJ", key: "energy_kj",
                        field: HeartRateFields.energy.key),
                    .other(
                        "rr_ms", key: "rr_ms", isSettable: false, tolerance: 1, field: HeartRateFields.rrIntervals.key),
                ],
                client: ClientUse("heart_rate", as: .heartRate, isMeasurement: true)),
            CharacteristicDescription(
                .bodySensorLocation, "Body Sensor Location", .read, format: BodySensorLocation.self,
                value: .other("location", words: BodySensorLocation.names, field: HeartRateFields.location.key),
                client: ClientUse("location", worth: .little, isMeasurement: false)),
            // Table 3.1: it is there if and only if energy is.
            CharacteristicDescription(
                .heartRateControlPoint, "Heart Rate Control Point", .write, format: ControlPointOctet.self,
                value: .number("control_point", in: 0...255, isSettable: false, field: HeartRateFields.energy.key),
                client: ClientUse("control_point", as: .energyReset, worth: .nothing, isMeasurement: false)),
        ],
        heart: { $0.signal(HeartRateFields.rate, "rate") },
        sensor: { HeartRateSensor($0) })
}

/// What a scenario can say of a heart-rate sensor.
public enum HeartRateFields {
    /// Of a rate, and of an energy.
    public static let numbers = 0.0...65535
    /// Of the heart.
    public static let rate = Field.curve("value", numbers, standard: 60, "In bpm; 60 if it is left out.")
    /// From one notification to the next.
    public static let period = Field.period("From measurement to measurement; 1 s if it is left out.")
    /// One octet up to 255 bpm and two above, always one, or always two.
    public static let format = Field.word(
        "format", ["auto", "uint8", "uint16"], standard: "auto", "The width of a heart rate; auto.")
    /// Whether the skin is touched; nil when the sensor cannot know.
    public static let contact = Field<Curve?>.truth(
        "contact", "Whether the skin is touched; left out when the sensor cannot know.")
    /// Nil when the sensor does not count it, and has no control point.
    public static let energy = Field<DerivedCurve?>.derivedOrCurve(
        "energy", numbers, "In kJ; true to count it from the heart rate.")
    /// Whether measurements carry RR-Intervals.
    public static let rrIntervals = Field.flag("rr_intervals", "Whether the intervals between beats are sent.")
    /// So many in each; nil for those that came.
    public static let rrPerNotification = Field.optionalWhole(
        "rr_per_notification", 0...255, "So many in each; those that came if it is left out.")
    /// Nil when it does not say.
    public static let location = Field.optionalWord("location", BodySensorLocation.names, "Where it is worn.")
}

extension HeartRateMeasurement: CharacteristicValue {
    /// `62 bpm, contact, RR 967.8 ms`.
    public var words: String {
        var words = ["\(bpm) bpm"]
        switch contact {
        case .notSupported: break
        case .notDetected: words.append("no contact")
        case .detected: words.append("contact")
        }
        if let energyExpended { words.append("\(energyExpended) kJ") }
        if !rrIntervals.isEmpty {
            let list = rrIntervals.map { ticks in
                let tenths = (Int(ticks) * 10_000 + 512) / 1024
                return "\(tenths / 10).\(tenths % 10)"
            }
            words.append("RR \(list.joined(separator: " ")) ms")
        }
        return words.joined(separator: ", ")
    }
}

extension BodySensorLocation: CharacteristicValue {
    /// Reads a value as it came.
    public init(octets: ArraySlice<UInt8>) throws(Malformed) { try self.init(octets: Array(octets)) }
    /// `worn at: chest`.
    public var words: String { "worn at: \(name ?? "place \(number)")" }
}

/// A command of the Heart Rate Control Point, whatever it is.
struct ControlPointOctet: CharacteristicValue {
    private let octet: UInt8

    init(octets: ArraySlice<UInt8>) throws(Malformed) {
        var reader = OctetReader(octets)
        octet = try reader.uint8("Heart Rate Control Point")
        try reader.finish()
    }

    func write(to text: inout JSONText) { text.append(Int64(octet)) }
    var words: String { "control point \(octet)" }
}
