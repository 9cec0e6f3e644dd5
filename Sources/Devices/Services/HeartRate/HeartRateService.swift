import Bluetooth
package import Characteristics
import GATT
import Octets
package import Sensors
package import ServiceFramework
import Simulation
import TextFormatting

extension ServiceDescription {
    /// The Heart Rate Service, 0x180D.  Heart Rate Service 1.0.
    package static let heartRate = ServiceDescription(
        "heart_rate", .heartRate,
        "one or two octets, contact, energy, RR intervals, sensor location",
        fields: [
            HeartRateFields.rate, HeartRateFields.period, HeartRateFields.format,
            HeartRateFields.contact, HeartRateFields.energy,
            HeartRateFields.rrIntervals, HeartRateFields.rrPerNotification,
            HeartRateFields.location,
        ],
        characteristics: [
            CharacteristicDescription(
                .heartRateMeasurement, "Heart Rate Measurement", .notify, format: HeartRateMeasurement.self,
                value: ValueDescription(.number(HeartRateFields.range), key: "bpm", label: "heart rate"),
                members: [
                    ValueDescription(
                        .truth, named: "contact", key: "contact", label: "skin contact",
                        field: HeartRateFields.contact.key),
                    ValueDescription(
                        .number(HeartRateFields.range), named: "energy_kj", key: "energy_kj", unit: "kJ",
                        label: "energy", field: HeartRateFields.energy.key),
                    ValueDescription(
                        .numbers, named: "rr_ms", key: "rr_ms", unit: "ms", label: "RR intervals", example: "812 790",
                        isSettable: false,
                        tolerance: 1, field: HeartRateFields.rrIntervals.key),
                ],
                client: ClientUse(
                    "heart_rate", #"{"bpm": 62, "contact": true, "rr_ms": [967.773]}"#, role: .heartRate,
                    isMeasurement: true)),
            CharacteristicDescription(
                .bodySensorLocation, "Body Sensor Location", .read, format: BodySensorLocation.self,
                value: ValueDescription(
                    .word(BodySensorLocation.names, first: 0), named: "location", label: "place on the body",
                    example: "chest",
                    field: HeartRateFields.location.key),
                client: ClientUse("location", #""chest""#, importance: .extra, isMeasurement: false)),
            // Table 3.1: present if and only if Energy Expended is.
            CharacteristicDescription(
                .heartRateControlPoint, "Heart Rate Control Point", .write, format: ControlPointOctet.self,
                value: ValueDescription(
                    .number(0...255), named: "control_point", isSettable: false, field: HeartRateFields.energy.key),
                client: ClientUse("control_point", role: .energyReset, importance: .none, isMeasurement: false)),
        ],
        heart: { $0.signal(HeartRateFields.rate, "rate") },
        sensor: { HeartRateSensor($0) })
}

/// The keys of `heart_rate` in a scenario.
package enum HeartRateFields {
    static let range = 0.0...65535
    /// Beats per minute.
    package static let rate = Field.curve("value", range, standard: 60, "In bpm; 60 by default.")
    package static let period = Field.period("Measurement interval; 1 s by default.")
    /// The width of the rate: `auto` takes one octet up to 255 bpm and two above.
    package static let format = Field.word(
        "format", ["auto", "uint8", "uint16"], standard: "auto", "Format of the heart rate; auto by default.")
    /// Nil: the sensor does not detect contact.
    package static let contact = Field<Curve?>.truth(
        "contact", "Skin contact; without it, the sensor cannot detect contact.")
    /// Nil: the sensor has neither Energy Expended nor a control point.
    package static let energy = Field<DerivedCurve?>.derivedOrCurve(
        "energy", range, "Energy Expended in kJ; true to compute it from the heart rate.")
    package static let rrIntervals = Field.flag("rr_intervals", "Whether RR-Intervals are sent; false by default.")
    /// The maximum per measurement; nil: all new ones.
    package static let rrPerNotification = Field.optionalWhole(
        "rr_per_notification", 0...255, "Maximum number in each measurement; all new ones by default.")
    /// Nil: the device does not have the characteristic.
    package static let location = Field.optionalWord("location", BodySensorLocation.names, "Body Sensor Location.")
}

extension HeartRateMeasurement: CharacteristicValue {
    /// `62 bpm, contact, RR 967.8 ms`.
    package var words: String {
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
    /// `worn at: chest`.
    package var words: String { "worn at: \(name ?? "place \(number)")" }
}

/// A command of the Heart Rate Control Point, known or not.
struct ControlPointOctet: NumberValue {
    static let field = "Heart Rate Control Point"
    let number: UInt8
    init(_ number: UInt8) { self.number = number }
    var words: String { "control point \(number)" }
}
