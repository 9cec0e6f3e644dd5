package import Basics
import Bluetooth
package import Characteristics
package import Devices
import Documents
import GATT

extension ServiceDescription {
    /// The Health Thermometer Service, 0x1809.  Health Thermometer Service 1.0.
    package static let healthThermometer = ServiceDescription(
        "health_thermometer", .healthThermometer,
        "indications with time stamps, °C or °F, intermediate values, a writable interval, stored measurements",
        example: [
            "service": "health_thermometer", "value": 37.2, "type": "ear", "unit": "fahrenheit", "store": true,
            "period": "5 s",
        ],
        fields: [
            HealthThermometerFields.temperature, HealthThermometerFields.period,
            HealthThermometerFields.site, HealthThermometerFields.unit,
            HealthThermometerFields.isStoring,
        ],
        characteristics: [
            CharacteristicDescription(
                .temperatureMeasurement, "Temperature Measurement", .indicate, format: TemperatureMeasurement.self,
                value: temperature(""),
                client: ClientUse(
                    "temperature", ["celsius": 36.6, "timestamp": "2026-03-14T22:15:00"], isMeasurement: true,
                    expires: true, row: .temperature)),
            CharacteristicDescription(
                .intermediateTemperature, "Intermediate Temperature", .notify, format: IntermediateTemperature.self,
                value: temperature("intermediate", isSettable: false),
                client: ClientUse(
                    "temperature", ["celsius": 36.6, "intermediate": true], isMeasurement: true,
                    row: .intermediateTemperature)),
            CharacteristicDescription(
                .temperatureType, "Temperature Type", .read, format: TemperatureType.self,
                value: ValueDescription(
                    .word(HealthThermometerFields.sites, first: 1), named: "type",
                    field: HealthThermometerFields.site.key),
                client: ClientUse("temperature_type", "mouth", importance: .extra, isMeasurement: false)),
            CharacteristicDescription(
                .measurementInterval, "Measurement Interval", [.read, .write, .indicate],
                format: MeasurementInterval.self,
                value: ValueDescription(
                    .number(1...65535), named: "interval", unit: "s", field: HealthThermometerFields.period.key),
                client: ClientUse("measurement_interval", 60, importance: .extra, isMeasurement: false)
            ) { definition, configuration in
                let range = HealthThermometerSensor.validRange(configuration)
                definition.descriptors.append(DescriptorDefinition(uuid: .validRange, value: range.octets))
            },
        ],
        sensor: { HealthThermometerSensor($0) })

    private static func temperature(_ name: String, isSettable: Bool = true) -> ValueDescription {
        ValueDescription(
            .number(HealthThermometerFields.range), named: name, key: "celsius", unit: "°C", label: "temperature",
            example: "36.6",
            isSettable: isSettable, tolerance: 0.05)
    }
}

extension ScreenFact {
    static let temperature = ScreenFact(
        "temperature", unit: "°C", key: "celsius", decimals: 2, isAlwaysThere: true,
        replacing: intermediateTemperature.label)
    /// Its own row until the measurement has ended, since it may be far below the body temperature.
    static let intermediateTemperature = ScreenFact("intermediate", unit: "°C", key: "celsius", decimals: 2)
}

/// The keys of `health_thermometer` in a scenario.
package enum HealthThermometerFields {
    static let range = -273.15...1000
    /// The words for Temperature Type 1 to 9.
    static let sites = [
        "armpit", "body", "ear", "finger", "gastro_intestinal", "mouth", "rectum", "toe", "tympanum",
    ]
    /// °C.
    package static let temperature = Field.curve("value", range, standard: 36.6, "Body temperature in °C.")
    /// The Measurement Interval, which a device has only if the scenario has the key.
    package static let period = Field.period(
        in: .seconds(1) ... .seconds(65535),
        "Measurement interval, which clients can read and write if the key is present.")
    /// Nil: the device does not have the characteristic.
    package static let site = Field.optionalWord("type", sites, "Temperature Type: where it measures.")
    /// The unit of the values sent.
    package static let unit = Field.word(
        "unit", TemperatureMeasurement.Unit.allCases.map(\.rawValue), standard: "celsius",
        "Unit of the values sent.")
    /// Whether measurements without a subscribed client are stored for the next one.
    package static let isStoring = Field.flag(
        "store", "Whether it stores measurements without a subscribed client.")
}

extension TemperatureMeasurement: CharacteristicValue {
    /// `36.6 °C`.
    package var words: String { celsius.degrees }
    /// °C.
    package func number(of _: String?) -> Double? { celsius.finite }
    /// Writes the temperature, and the time if it has one: `{"celsius": 36.6, "timestamp": "2026-03-14T22:15:00"}`.
    package func writeLine(to text: inout JSONText) {
        text.append("{\"celsius\": ")
        text.append(celsius: celsius)
        text.append(timeStamp: timeStamp)
        text.append("}")
    }
    /// `{"celsius": null}`.
    package static var expired: StaticString { "{\"celsius\": null}" }
}

/// A temperature while the thermometer still measures.  Health Thermometer Service 1.0, section 3.3.
struct IntermediateTemperature: CharacteristicValue {
    private let measurement: TemperatureMeasurement

    init(octets: ArraySlice<UInt8>) throws(Malformed) { measurement = try TemperatureMeasurement(octets: octets) }

    /// As the measurement, in the event log.
    func write(to text: inout JSONText) { measurement.write(to: &text) }
    /// `36.6 °C, intermediate`.
    var words: String { "\(measurement.words), intermediate" }
    func number(of key: String?) -> Double? { measurement.number(of: key) }
    /// `{"celsius": 36.6, "intermediate": true}`.
    func writeLine(to text: inout JSONText) {
        text.append("{\"celsius\": ")
        text.append(celsius: measurement.celsius)
        text.append(", \"intermediate\": true")
        text.append(timeStamp: measurement.timeStamp)
        text.append("}")
    }
    static var expired: StaticString { TemperatureMeasurement.expired }
}

extension TemperatureType: CharacteristicValue {
    /// `temperature taken at: ear`.
    package var words: String { "temperature taken at: \(name ?? "place \(number)")" }
}

extension MeasurementInterval: CharacteristicValue {
    /// `a temperature every 60 s`.
    package var words: String { "a temperature every \(seconds) s" }
}

extension Double? {
    /// Nil from 10¹² degrees on, where three decimals are no longer exact.
    var finite: Double? { flatMap { $0.magnitude < 1e12 ? $0 : nil } }

    /// `36.6 °C`, or `no temperature`.
    var degrees: String {
        guard let celsius = finite else { return "no temperature" }
        var text = JSONText()
        text.append(celsius: celsius)
        return "\(text.string) °C"
    }
}

extension JSONText {
    /// Writes `, "timestamp": "2026-03-14T22:15:00"`; nothing without a time.
    fileprivate mutating func append(timeStamp: DateTime?) {
        guard let timeStamp else { return }
        append(", \"timestamp\": ")
        append(quoted: timeStamp.description)
    }
}
