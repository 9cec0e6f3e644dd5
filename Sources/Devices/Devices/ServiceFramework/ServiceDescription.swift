package import Basics
package import Bluetooth
package import Documents
package import GATT

/// All about a GATT service: its keys in a scenario, the attributes and the sensor of a device, and how the built-in
/// client uses its values.
///
/// It is large and has closures: `ServiceRegistry` holds one instance, which is not copied per value.
package struct ServiceDescription: Sendable {
    /// The word in a scenario: `battery`.
    package let name: String
    /// A short description without a verb and a point.
    package let about: String
    /// The field that selects one of several services with this name; nil for the default one.
    package let variant: ServiceVariant?
    package let uuid: UUID
    /// Whether a device advertises the UUID by default.
    package let isAdvertised: Bool
    /// The service in a scenario, with most of its keys, for the documentation; nil for a service of a file.
    package let example: Node?
    /// The keys that a scenario can write, in the order of the schema.
    package let fields: [FieldDescription]
    /// In the order of their handles.
    package let characteristics: [CharacteristicDescription]
    /// All values with a name: for each characteristic its own, then its members.
    package let values: [ServiceValue]
    /// The value addressed by the service's name alone; nil when it has none.
    package let mainValue: ServiceValue?
    private let problem: @Sendable (ServiceConfiguration) -> ServiceProblem?
    private let rate: @Sendable (ServiceConfiguration) -> Int?
    fileprivate let heartRate: (@Sendable (SensorSource) -> Signal)?
    fileprivate let steps: (@Sendable (SensorSource) -> StepCounter?)?
    fileprivate let sensor: @Sendable (SensorSource) -> any ServiceSensor

    /// A service whose `sensor` makes one sensor per device.
    ///
    /// `main` is the name of the value addressed by the service's name alone; `problem` returns the contradiction in
    /// fields that are valid one by one; `rate` returns the number of values per second of a stream; `heart` returns
    /// the rate of the heart that the service measures, and `steps` the steps that it counts: other services of the
    /// device share both.
    package init(
        _ name: String, as variant: ServiceVariant? = nil, _ uuid: UUID, _ about: String, isAdvertised: Bool = true,
        main: String = "", example: Node? = nil,
        fields: [any ServiceField], characteristics: [CharacteristicDescription],
        problem: @escaping @Sendable (ServiceConfiguration) -> ServiceProblem? = { _ in nil },
        rate: @escaping @Sendable (ServiceConfiguration) -> Int? = { _ in nil },
        heart: (@Sendable (SensorSource) -> Signal)? = nil,
        steps: (@Sendable (SensorSource) -> StepCounter?)? = nil,
        sensor: @escaping @Sendable (SensorSource) -> any ServiceSensor
    ) {
        (self.name, self.variant, self.uuid, self.about) = (name, variant, uuid, about)
        (self.isAdvertised, self.example) = (isAdvertised, example)
        (self.fields, self.characteristics) = (fields.map(\.description), characteristics)
        (self.problem, self.rate, heartRate, self.steps, self.sensor) = (problem, rate, heart, steps, sensor)
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

    package var isSought: Bool { isAdvertised && characteristics.contains { $0.client.importance == .purpose } }

    /// The value with a name; nil when there is none.
    package func value(named name: String) -> ServiceValue? { values.first { $0.name == name } }

    /// The codec of a value's characteristic; nil without one.
    package func format(of id: ValueID) -> (any CharacteristicValue.Type)? {
        characteristics[values[id.index].characteristic].format
    }

    /// The contradiction in a configuration whose fields are valid one by one; nil for none.
    package func problem(in configuration: ServiceConfiguration) -> ServiceProblem? { problem(configuration) }

    /// The number of values per second of a stream; nil for a service without a stream.
    package func rate(in configuration: ServiceConfiguration) -> Int? { rate(configuration) }
}

/// Two services are equal when they have the same word in a scenario and the same UUID.
extension ServiceDescription: Hashable {
    /// Compares name and UUID.
    package static func == (one: ServiceDescription, other: ServiceDescription) -> Bool {
        one.name == other.name && one.uuid == other.uuid
    }
    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(uuid)
    }
}

/// The field and the word that select one of several services with the same name.
package struct ServiceVariant: Sendable {
    package let key: String
    package let word: String

    /// Selects this service if `key` is `word`.
    package init(_ key: String, _ word: String) { (self.key, self.word) = (key, word) }
}

/// An invalid combination of fields.
package enum ServiceProblem: Sendable {
    case missing(String)
    /// The field with this key contradicts another: the message.
    case conflict(key: String, String)
}

/// A service of one device: its description and its configuration in the scenario.
package struct ConfiguredService: Hashable, Sendable {
    package let description: ServiceDescription
    package let configuration: ServiceConfiguration
    package var declaration = ServiceDeclaration()
    /// The values that this device has, in the description's order.
    package let values: [ServiceValue]

    /// A service with these fields; those left out have their defaults.
    package init(_ description: ServiceDescription, _ configuration: ServiceConfiguration = ServiceConfiguration()) {
        (self.description, self.configuration) = (description, configuration)
        values = description.values.filter { $0.description.field.map(configuration.has) ?? true }
    }

    package var attributes: (definition: ServiceDefinition, ids: [ValueID]) {
        let own = values.filter { $0.id == $0.id.characteristicValue }
        let definitions = own.map { value in
            var definition = description.characteristics[value.characteristic].definition(configuration)
            definition.permissions = definition.permissions.needing(declaration.security)
            return definition
        }
        let definition = ServiceDefinition(
            uuid: description.uuid, isPrimary: !declaration.isSecondary, handle: declaration.handle,
            includes: declaration.includes, characteristics: definitions)
        return (definition, own.map(\.id))
    }

    /// The rate of the heart that the service measures; nil if it measures none.
    package func heartRate(chance: RandomStream) -> Signal? {
        description.heartRate?(
            SensorSource(configuration: configuration, chance: chance, heart: 0, steps: nil, clock: WallClock()))
    }

    /// The steps that the service counts; nil for a service that counts none.
    package func stepCounter(chance: RandomStream, clock: WallClock) -> StepCounter? {
        description.steps?(
            SensorSource(configuration: configuration, chance: chance, heart: 0, steps: nil, clock: clock))
    }

    /// The longest time from one value to the next, of all that it sends periodically.
    package var longestPeriod: Duration {
        let own = description.fields.compactMap { field in
            (configuration.written(field.key) ?? field.standard).flatMap(Duration.init)
        }
        var sent: [CustomCharacteristic] = []
        if case .characteristics(let all)? = configuration.written("characteristics") {
            sent = all.filter { !$0.properties.isDisjoint(with: [.notify, .indicate]) }
        }
        return (own + sent.map(\.period)).max() ?? .zero
    }

    /// Makes the sensor of a device's service.
    ///
    /// `chance` is the service's random stream, `heart` the index of its heart in ``SensorContext/pulses``, `steps` that
    /// of its counter in ``SensorContext/steps`` (nil for none), and `clock` the device's wall clock at the start.
    package func makeSensor(
        chance: RandomStream, heart: Int, steps: Int? = nil, clock: WallClock
    ) -> any ServiceSensor {
        description.sensor(
            SensorSource(configuration: configuration, chance: chance, heart: heart, steps: steps, clock: clock))
    }

    /// Compares description, configuration and declaration, from which the values follow.
    package static func == (one: ConfiguredService, other: ConfiguredService) -> Bool {
        one.description == other.description && one.configuration == other.configuration
            && one.declaration == other.declaration
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(description)
        hasher.combine(configuration)
    }
}
