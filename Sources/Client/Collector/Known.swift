import Bluetooth
import Characteristics
import GATT
import Octets
import Services

/// A characteristic that the client knows, and what it makes of it.  To know one more takes a row of `all`.
struct Known: Sendable {
    /// How a value is come by.
    struct Uses: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        /// It is read once in each connection.
        static let read = Uses(rawValue: 0x01)
        /// It may be longer than one PDU.
        static let long = Uses(rawValue: 0x02)
        /// It is read again every so often, as `Settings.asksOnDemand` says.
        static let again = Uses(rawValue: 0x04)
        /// It is notified or indicated.
        static let listen = Uses(rawValue: 0x08)
    }

    /// Whether a device is worth staying with for it.
    typealias Worth = ClientUse.Worth

    /// What becomes of a value.
    enum Meaning: Sendable {
        /// It is said: as what.
        case said(@Sendable ([UInt8]) throws(Malformed) -> SensorCollector.Content)
        /// It is said as its service's description has it: which characteristic.
        case described(CharacteristicID)
        case heartRate
        case heartRateControlPoint
        case heartRates
        case ecgDescription
        case ecgFrame
        case polarControlPoint
        case polarFrame
        case serviceChanged
        case clientFeatures

        /// A value is read, and said.
        static func said<Value>(
            _ read: @escaping @Sendable ([UInt8]) throws(Malformed) -> Value,
            _ content: @escaping @Sendable (Value) -> SensorCollector.Content
        ) -> Meaning {
            .said { octets throws(Malformed) in content(try read(octets)) }
        }

        /// A number of one of Lubdub's own services is said.
        static func count(
            _ field: String, _ content: @escaping @Sendable (UInt32) -> SensorCollector.Content
        ) -> Meaning {
            .said { octets throws(Malformed) in content(try VendorCount(octets: octets, field).number) }
        }
    }

    let service: UUID
    let uuid: UUID
    /// For people.
    let name: String
    let uses: Uses
    let worth: Worth
    let meaning: Meaning

    private init(
        _ service: UUID, _ uuid: UUID, _ name: String, _ uses: Uses, worth: Worth = .much, _ meaning: Meaning
    ) {
        (self.service, self.uuid, self.name) = (service, uuid, name)
        (self.uses, self.worth, self.meaning) = (uses, worth, meaning)
    }

    /// What is said when it was told again and again, and is not any more; nil for what stays true, as what is counted.
    var emptied: SensorCollector.Content? {
        if case .described(let id) = meaning {
            return id.description.client.expires ? .value(ReceivedValue(expired: id)) : nil
        }
        return switch uuid {
        case .heartRateMeasurement, .heartRates: .cleared
        case .temperatureMeasurement: .temperature(celsius: nil)
        default: nil
        }
    }

    /// How long one value is true before it is known how often they come; nil: for ever.  A heart rate comes about once
    /// a second (Heart Rate Service 1.0, section 3.1.1), a thermometer may be used once.
    var lasts: Duration? { emptied == .cleared ? .seconds(10) : nil }

    /// What is said of a value that is malformed.
    func words(for octets: ArraySlice<UInt8>, _ error: Malformed) -> String {
        "\(name) \(octets.isEmpty ? "without octets" : Array(octets).hex) is malformed: \(error)"
    }

    /// All of them, in the order in which they are read, and then subscribed to.
    static let all =
        [rows(of: [.heartRate]), thermometer, fitness, rows(of: [.battery]), information, attributes, rows(of: [.feed]), streams]
        .flatMap(\.self) + rows(of: ServiceRegistry.all.filter { ![.heartRate, .battery, .feed].contains($0) })

    /// What a client makes of the characteristics of these.
    private static func rows(of services: [ServiceDescription]) -> [Known] {
        services.flatMap { service in
            service.characteristics.enumerated().compactMap { place, characteristic in
                CharacteristicID(service, place: place).map { id in
                    Known(
                        service.uuid, characteristic.uuid, characteristic.title, Uses(characteristic),
                        worth: characteristic.client.worth, meaning(of: characteristic) ?? .described(id))
                }
            }
        }
    }

    /// What a client does besides wording; nil for nothing.
    private static func meaning(of characteristic: CharacteristicDescription) -> Meaning? {
        switch characteristic.client.role {
        case .worded: nil
        case .heartRate: .heartRate
        case .energyReset: .heartRateControlPoint
        }
    }

    private static let thermometer = [
        Known(
            .healthThermometer, .temperatureMeasurement, "Temperature Measurement", .listen,
            .said(TemperatureMeasurement.init) { .temperature(celsius: $0.celsius) }),
        Known(
            .healthThermometer, .intermediateTemperature, "Intermediate Temperature", .listen,
            .said(TemperatureMeasurement.init) { .temperature(celsius: $0.celsius) }),
        Known(
            .healthThermometer, .temperatureType, "Temperature Type", .read, worth: .little,
            .said(TemperatureType.init) { .temperatureType($0) }),
        Known(
            .healthThermometer, .measurementInterval, "Measurement Interval", [.read, .listen], worth: .little,
            .said(MeasurementInterval.init) { .measurementInterval($0) }),
    ]

    private static let fitness = [
        Known(
            .fitness, .steps, "Steps", [.read, .again, .listen],
            .count("Steps") { .steps($0) }),
        Known(
            .fitness, .stepsToday, "Steps Today", [.read, .again, .listen],
            .count("Steps Today") { .stepsToday($0) }),
        Known(
            .fitness, .temperature, "Temperature", [.read, .again],
            .said(Temperature.init) { .temperature(celsius: $0.celsius) }),
    ]

    private static let information = DeviceInformation.allCases.map { kind in
        Known(
            .deviceInformation, kind.uuid, "the \(kind.rawValue) string", [.read, .long], worth: .little,
            .said { octets throws(Malformed) in
                .information(kind, try UTF8Text(octets: octets, kind.rawValue).text)
            })
    }

    private static let attributes = [
        Known(.genericAttribute, .serviceChanged, "Service Changed", .listen, worth: .nothing, .serviceChanged),
        Known(
            .genericAttribute, .clientSupportedFeatures, "Client Supported Features", [], worth: .nothing,
            .clientFeatures),
    ]

    private static let streams = [
        Known(.measurements, .heartRates, "Heart Rate Values", .listen, .heartRates),
        Known(.ecg, .ecgDescription, "ECG Description", .read, worth: .little, .ecgDescription),
        Known(.ecg, .ecgSamples, "ECG Samples", .listen, .ecgFrame),
        Known(.polar, .polarControlPoint, "PMD Control Point", [.read, .listen], worth: .little, .polarControlPoint),
        Known(.polar, .polarData, "PMD Data", .listen, .polarFrame),
    ]
}

extension Known.Uses {
    /// How a client comes by the value of a characteristic.
    fileprivate init(_ characteristic: CharacteristicDescription) {
        self = []
        let properties = characteristic.properties
        if properties.contains(.read) { insert(.read) }
        if characteristic.client.isPolled { insert(.again) }
        if !properties.isDisjoint(with: [.notify, .indicate]) { insert(.listen) }
    }
}

extension UUID {
    static let fitness = VendorUUID.fitness.uuid
    static let ecg = VendorUUID.ecg.uuid
    static let ecgSamples = VendorUUID.ecgSamples.uuid
    static let measurements = VendorUUID.measurements.uuid
    static let polarControlPoint = PMD.Identifier.controlPoint.uuid
    static let polarData = PMD.Identifier.data.uuid

    fileprivate static let steps = VendorUUID.steps.uuid
    fileprivate static let stepsToday = VendorUUID.stepsToday.uuid
    fileprivate static let ecgDescription = VendorUUID.ecgDescription.uuid
    static let heartRates = VendorUUID.heartRates.uuid
    fileprivate static let polar = PMD.Identifier.service.uuid
}
