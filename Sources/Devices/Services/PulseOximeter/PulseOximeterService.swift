import Bluetooth
package import Characteristics
import GATT
import Octets
package import Sensors
package import ServiceFramework
import Simulation
import TextFormatting

extension ServiceDescription {
    /// The Pulse Oximeter Service, 0x1822.  Pulse Oximeter Service 1.0.1.
    package static let pulseOximeter = ServiceDescription(
        "pulse_oximeter", .pulseOximeter,
        "oxygen saturation and pulse rate, amplitude, contact, spot-checks with time stamps",
        fields: [
            PulseOximeterFields.spo2, PulseOximeterFields.pulseRate,
            PulseOximeterFields.amplitude, PulseOximeterFields.contact,
            PulseOximeterFields.period, PulseOximeterFields.spotCheckPeriod,
        ],
        characteristics: [
            CharacteristicDescription(
                .plxContinuousMeasurement, "PLX Continuous Measurement", .notify, format: PLXContinuousMeasurement.self,
                value: spo2(""),
                members: [
                    ValueDescription(
                        .number(PulseOximeterFields.rates), named: "pulse_rate", key: "pulse_rate", unit: "bpm",
                        label: "pulse rate", tolerance: 0.5),
                    ValueDescription(
                        .number(PulseOximeterFields.percent), named: "amplitude", key: "amplitude", unit: "%",
                        label: "pulse amplitude index", tolerance: 0.05, field: PulseOximeterFields.amplitude.key),
                    ValueDescription(
                        .truth, named: "contact", key: "contact", label: "skin contact",
                        field: PulseOximeterFields.contact.key),
                ],
                client: ClientUse(
                    "pulse_oximeter", #"{"spo2": 97, "pulse_rate": 62}"#, isMeasurement: true, expires: true,
                    row: ScreenFact("SpO2", unit: "%", key: "spo2", decimals: 1, warnsUpTo: 90))),
            CharacteristicDescription(
                .plxSpotCheckMeasurement, "PLX Spot-Check Measurement", .indicate, format: PLXSpotCheckMeasurement.self,
                value: spo2("spot_check", isSettable: false, field: PulseOximeterFields.spotCheckPeriod.key),
                client: ClientUse(
                    "spot_check", #"{"spo2": 97, "pulse_rate": 62, "timestamp": "2026-03-14T22:15:00"}"#,
                    isMeasurement: true)),
            CharacteristicDescription(
                .plxFeatures, "PLX Features", .read, format: PLXFeatures.self,
                value: ValueDescription(.structure, named: "features", isSettable: false, isEncodable: false),
                client: ClientUse(
                    "plx_features", #"["timestamp", "pulse_amplitude_index"]"#, importance: .extra,
                    isMeasurement: false)),
        ],
        sensor: { PulseOximeterSensor($0) })

    private static func spo2(_ name: String, isSettable: Bool = true, field: String? = nil) -> ValueDescription {
        ValueDescription(
            .number(PulseOximeterFields.percent), named: name, key: "spo2", unit: "%", label: "oxygen saturation",
            example: "97", isSettable: isSettable, tolerance: 0.05, field: field)
    }
}

/// The keys of `pulse_oximeter` in a scenario.
package enum PulseOximeterFields {
    static let percent = 0.0...100
    static let rates = 0.0...300
    /// Oxygen saturation in percent.
    package static let spo2 = Field.curve("value", percent, standard: 97, "SpO2 in percent; 97 if it is left out.")
    /// Beats per minute.
    package static let pulseRate = Field.curve("pulse_rate", rates, standard: 60, "In bpm; 60 if it is left out.")
    /// Percent; nil: measurements have no Pulse Amplitude Index.
    package static let amplitude = Field.optionalCurve(
        "amplitude", percent, "Pulse Amplitude Index in percent; not sent if it is left out.")
    /// Nil: measurements have neither Measurement Status nor Device and Sensor Status.
    package static let contact = Field<Curve?>.truth(
        "contact", "Whether the sensor is on the finger; without a finger it sends NaN.")
    /// From one PLX Continuous Measurement to the next.
    package static let period = Field.period("From measurement to measurement; 1 s if it is left out.")
    /// From one PLX Spot-Check Measurement to the next; a device sends them only if the scenario has the key.
    package static let spotCheckPeriod = Field.period(
        key: "spot_check_period", in: .seconds(1) ... .seconds(86_400),
        "From spot-check to spot-check, each indicated with a time stamp; none if it is left out.")
}

extension PLXContinuousMeasurement: CharacteristicValue {
    /// `SpO2 97 %, pulse 62 bpm, contact, amplitude 1.5 %`.
    package var words: String { normal.words + details.words }
    /// SpO2, pulse rate or amplitude.
    package func number(of key: String?) -> Double? {
        switch key {
        case "spo2": normal.spo2.finite
        case "pulse_rate": normal.pulseRate.finite
        case "amplitude": details.amplitude?.finite
        default: nil
        }
    }
    /// `{"spo2": null, "pulse_rate": null}`
    package static var expired: StaticString { "{\"spo2\": null, \"pulse_rate\": null}" }
}

extension PLXSpotCheckMeasurement: CharacteristicValue {
    /// `spot-check: SpO2 97 %, pulse 62 bpm`.
    package var words: String { "spot-check: \(value.words)\(details.words)" }
    /// SpO2 or pulse rate.
    package func number(of key: String?) -> Double? {
        switch key {
        case "spo2": value.spo2.finite
        case "pulse_rate": value.pulseRate.finite
        default: nil
        }
    }
}

extension PLXFeatures: CharacteristicValue {
    /// `oximeter features: ["timestamp"]`.
    package var words: String { "oximeter features: \(json)" }
}

extension SpO2PR {
    fileprivate var words: String {
        let saturation = spo2.words.map { "SpO2 \($0) %" } ?? "no SpO2"
        return saturation + (pulseRate.words.map { ", pulse \($0) bpm" } ?? ", no pulse")
    }
}

extension PLXDetails {
    fileprivate var words: String {
        let contact = sensorStatus.map { $0.contains(.unconnectedToUser) ? ", no contact" : ", contact" } ?? ""
        return contact + (amplitude?.words.map { ", amplitude \($0) %" } ?? "")
    }
}

extension MedicalShortFloat {
    fileprivate var finite: Double? { value.flatMap { $0.isFinite ? $0 : nil } }

    /// `97.5`; nil for a special value.
    fileprivate var words: String? {
        guard finite != nil else { return nil }
        var text = JSONText()
        text.append(self)
        return text.string
    }
}
