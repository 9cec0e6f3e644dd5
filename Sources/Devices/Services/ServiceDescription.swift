public import Bluetooth
public import GATT
public import Sensors
public import Simulation

/// A GATT service as the whole program knows it: how a scenario writes it, which attributes and sensor a device makes of
/// that, and what a client does with its values.
///
/// It is large and has closures: it is made once, in ``ServiceRegistry``, and is not copied for each value.
public struct ServiceDescription: Sendable {
    /// The word in a scenario: `battery`.
    public let name: String
    /// What the service is, for people: no sentence, and no point.
    public let about: String
    /// Of the services with this name, a scenario chooses by this field; nil for the one that it gets without it.
    public let variant: ServiceVariant?
    /// The UUID that a client discovers.
    public let uuid: UUID
    /// Whether a device advertises the UUID unless its scenario says what to advertise.
    public let isAdvertised: Bool
    /// The keys that a scenario can write, in the order of the schema.
    public let fields: [FieldDescription]
    /// In the order of their handles.
    public let characteristics: [CharacteristicDescription]
    /// All values with a name: for each characteristic its own, then its members.
    public let values: [ServiceValue]
    /// The value that the service's name alone stands for; nil when there is none.
    public let mainValue: ServiceValue?
    private let problem: @Sendable (ServiceConfiguration) -> ServiceProblem?
    private let rate: @Sendable (ServiceConfiguration) -> Int?
    private let heartRate: (@Sendable (SensorSource) -> Signal)?
    private let sensor: @Sendable (SensorSource) -> any ServiceSensor

    /// A service whose values come from the sensor that `sensor` makes, one for each device.
    ///
    /// - Parameters:
    ///   - main: The name of the value that the service's name alone stands for.
    ///   - problem: What is wrong with fields that are right one by one.
    ///   - rate: How many values a second a stream sends; nil for a service without a stream.
    ///   - heart: How fast the heart beats that this service measures, and other services of the device listen to.
    public init(
        _ name: String, as variant: ServiceVariant? = nil, _ uuid: UUID, _ about: String, isAdvertised: Bool = true,
        main: String = "",
        fields: [FieldDescription], characteristics: [CharacteristicDescription],
        problem: @escaping @Sendable (ServiceConfiguration) -> ServiceProblem? = { _ in nil },
        rate: @escaping @Sendable (ServiceConfiguration) -> Int? = { _ in nil },
        heart: (@Sendable (SensorSource) -> Signal)? = nil,
        sensor: @escaping @Sendable (SensorSource) -> any ServiceSensor
    ) {
        (self.name, self.variant, self.uuid, self.about) = (name, variant, uuid, about)
        self.isAdvertised = isAdvertised
        (self.fields, self.characteristics) = (fields, characteristics)
        (self.problem, self.rate, heartRate, self.sensor) = (problem, rate, heart, sensor)
        var values: [ServiceValue] = []
        for (place, characteristic) in characteristics.enumerated() {
            let carrier = values.count
            for description in [characteristic.value] + characteristic.members {
                let id = ValueID(index: values.count, carrier: carrier)
                values.append(
                    ServiceValue(
                        id: id, characteristic: place, properties: characteristic.properties, description: description))
            }
        }
        self.values = values
        mainValue = values.first { $0.name == main }
    }

    /// Whether a client connects to a device because of this service.
    public var isSought: Bool { isAdvertised && characteristics.contains { $0.client.importance == .purpose } }

    /// The value with a name; nil when there is none.
    public func value(named name: String) -> ServiceValue? { values.first { $0.name == name } }

    /// What octets of a value's characteristic mean; nil when nobody knows.
    public func format(of id: ValueID) -> (any CharacteristicValue.Type)? {
        characteristics[values[id.index].characteristic].format
    }

    /// What is wrong with a configuration whose fields are right one by one.
    public func problem(in configuration: ServiceConfiguration) -> ServiceProblem? { problem(configuration) }

    /// How many values a second a stream sends; nil for a service without a stream.
    public func rate(in configuration: ServiceConfiguration) -> Int? { rate(configuration) }

    /// How fast the heart beats that a service measures; nil for a service that measures none.
    func heart(_ source: SensorSource) -> Signal? { heartRate?(source) }

    func makeSensor(_ source: SensorSource) -> any ServiceSensor { sensor(source) }
}

/// Two services are equal when a scenario writes them with the same word and a client discovers them by the same UUID.
extension ServiceDescription: Hashable {
    /// Compares name and UUID.
    public static func == (one: ServiceDescription, other: ServiceDescription) -> Bool {
        one.name == other.name && one.uuid == other.uuid
    }
    /// Hashes name and UUID.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(uuid)
    }
}

/// The field of a scenario, and its word, that choose one of several services with the same name.
public struct ServiceVariant: Sendable {
    let key: String
    let word: String

    /// This service is meant when `key` is `word`.
    public init(_ key: String, _ word: String) { (self.key, self.word) = (key, word) }
}

/// A combination of fields that cannot be.
public enum ServiceProblem: Sendable {
    /// A field is missing: the message.
    case missing(String)
    /// The field with this key contradicts another: the message.
    case conflict(key: String, String)
}

/// A service of one device: its description, and what a scenario says of it.
public struct ConfiguredService: Hashable, Sendable {
    /// What every service of its kind has.
    public let description: ServiceDescription
    /// What the scenario says.
    public let configuration: ServiceConfiguration
    /// The values that this device has, in the description's order.
    public let values: [ServiceValue]

    /// A service with these fields; those left out have their defaults.
    public init(_ description: ServiceDescription, _ configuration: ServiceConfiguration = ServiceConfiguration()) {
        (self.description, self.configuration) = (description, configuration)
        values = description.values.filter { $0.description.field.map(configuration.has) ?? true }
    }

    /// The attributes of the device, and the value of each characteristic.
    public var attributes: (ServiceDefinition, [ValueID]) {
        let own = values.filter { $0.id == $0.id.characteristicValue }
        let definitions = own.map { description.characteristics[$0.characteristic].definition(configuration) }
        return (ServiceDefinition(uuid: description.uuid, characteristics: definitions), own.map(\.id))
    }

    /// How fast the heart beats that the service measures; nil for a service that measures none.
    public func heartRate(chance: RandomStream) -> Signal? {
        description.heart(SensorSource(configuration: configuration, chance: chance, heart: 0, clock: WallClock()))
    }

    /// The sensor of a device's service.
    ///
    /// - Parameters:
    ///   - chance: The service's own.
    ///   - heart: Which of the context's ``SensorContext/pulses`` it listens to.
    ///   - clock: The device's, as it is at the start.
    public func makeSensor(chance: RandomStream, heart: Int, clock: WallClock) -> any ServiceSensor {
        description.makeSensor(
            SensorSource(configuration: configuration, chance: chance, heart: heart, clock: clock))
    }

    /// Compares description and configuration, from which the values follow.
    public static func == (one: ConfiguredService, other: ConfiguredService) -> Bool {
        one.description == other.description && one.configuration == other.configuration
    }

    /// Hashes description and configuration.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(description)
        hasher.combine(configuration)
    }
}
