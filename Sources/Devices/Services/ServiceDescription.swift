public import Bluetooth
public import GATT
public import Octets
public import Sensors
public import Simulation
public import Spelling

/// All that the program knows of a service: how a scenario describes it, what a device makes of that, and what a client
/// makes of its values.
public struct ServiceDescription: Sendable {
    /// As a scenario writes it: `battery`.
    public let name: String
    /// The one that a client discovers.
    public let uuid: UUID
    /// Whether a device that does not say what it advertises has it in its advertising.
    public let isAdvertised: Bool
    /// What a scenario can say of it, in the order of the schema.
    public let fields: [FieldDescription]
    /// In the order of their handles.
    public let characteristics: [CharacteristicDescription]
    /// All that can be named in it: of each characteristic the value itself, and then what it carries.
    public let values: [(id: ValueID, characteristic: Int, description: ValueDescription)]
    private let heart: (@Sendable (SensorSource) -> Signal)?
    private let sensor: @Sendable (SensorSource) -> any ServiceSensor

    /// A service whose values come from `sensor`, which is asked once for each that a device has.
    public init(
        _ name: String, _ uuid: UUID, isAdvertised: Bool = true, fields: [FieldDescription],
        characteristics: [CharacteristicDescription], heart: (@Sendable (SensorSource) -> Signal)? = nil,
        sensor: @escaping @Sendable (SensorSource) -> any ServiceSensor
    ) {
        self.heart = heart
        (self.name, self.uuid, self.isAdvertised) = (name, uuid, isAdvertised)
        (self.fields, self.characteristics, self.sensor) = (fields, characteristics, sensor)
        var values: [(id: ValueID, characteristic: Int, description: ValueDescription)] = []
        for (place, characteristic) in characteristics.enumerated() {
            let own = values.count
            for description in [characteristic.value] + characteristic.members {
                values.append((ValueID(values.count, in: own), place, description))
            }
        }
        self.values = values
    }

    /// Whether a client is there for it.
    public var isSought: Bool { characteristics.contains { $0.client.worth == .much } }

    /// The value with a name; nil when it has none of that.
    public func value(named name: String) -> (id: ValueID, characteristic: Int, description: ValueDescription)? {
        values.first { $0.description.name == name }
    }

    /// Whether a device with this configuration has a value.
    public func has(_ value: ValueDescription, _ configuration: ServiceConfiguration) -> Bool {
        value.field.map(configuration.has) ?? true
    }

    /// The attributes that a device has by a configuration, and the value that each of its characteristics stands for.
    public func attributes(_ configuration: ServiceConfiguration) -> (ServiceDefinition, [SensorQuantity]) {
        let own = values.filter { $0.id == $0.id.characteristicValue && has($0.description, configuration) }
        let definitions = own.map { characteristics[$0.characteristic].definition }
        return (ServiceDefinition(uuid: uuid, characteristics: definitions), own.map { .described($0.id) })
    }

    /// How fast the heart of a device's service beats; nil for a service that measures none.
    public func heartRate(_ configuration: ServiceConfiguration, chance: RandomStream) -> Signal? {
        heart?(SensorSource(configuration: configuration, chance: chance, heart: 0))
    }

    /// What stands behind the values of a device's service; `heart` is which of the context's it listens to.
    public func makeSensor(
        _ configuration: ServiceConfiguration, chance: RandomStream, heart: Int
    ) -> any ServiceSensor {
        sensor(SensorSource(configuration: configuration, chance: chance, heart: heart))
    }

    /// What the service is there for.
    public var main: SensorQuantity { .described(values[0].id) }
}

/// There is one of each name.
extension ServiceDescription: Hashable {
    /// Whether they have one name.
    public static func == (one: ServiceDescription, other: ServiceDescription) -> Bool { one.name == other.name }
    /// Of its name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A value of a service, for its sensor.
public struct ValueID: Hashable, Sendable {
    /// Which of the service's ``ServiceDescription/values``.
    public let index: UInt8
    private let carrier: UInt8

    init(_ index: Int, in carrier: Int) { (self.index, self.carrier) = (UInt8(index), UInt8(carrier)) }

    /// The value of the characteristic that it is sent with: itself, if it has one of its own.
    public var characteristicValue: ValueID { ValueID(Int(carrier), in: Int(carrier)) }
}

/// A characteristic of a service.
public struct CharacteristicDescription: Sendable {
    /// What it is.
    public let uuid: UUID
    /// As the Assigned Numbers call it: `Battery Level`.
    public let title: String
    /// What can be done with it over the air.
    public let properties: CharacteristicProperties
    /// Its Characteristic User Description; nil for none.
    public let userDescription: String?
    /// What its octets mean.
    public let format: any CharacteristicValue.Type
    /// What it stands for.
    public let value: ValueDescription
    /// What is carried in its value besides, and can be named.
    public let members: [ValueDescription]
    /// What a client makes of it.
    public let client: ClientUse

    /// A characteristic that stands for `value`.
    public init(
        _ uuid: UUID, _ title: String, _ properties: CharacteristicProperties, userDescription: String? = nil,
        format: any CharacteristicValue.Type, value: ValueDescription, members: [ValueDescription] = [],
        client: ClientUse
    ) {
        (self.uuid, self.title, self.properties, self.userDescription) = (uuid, title, properties, userDescription)
        (self.format, self.value, self.members, self.client) = (format, value, members, client)
    }

    /// How a server has it.
    public var definition: CharacteristicDefinition {
        CharacteristicDefinition(
            uuid: uuid, properties: properties,
            descriptors: userDescription.map { [DescriptorDefinition.userDescription($0)] } ?? [])
    }

    /// Adds what octets mean as JSON.
    public func write(_ octets: ArraySlice<UInt8>, to text: inout JSONText) throws(Malformed) {
        try format.write(octets, to: &text)
    }
}

/// Something in a service that has a name of its own in events and actions.
public struct ValueDescription: Sendable {
    /// Behind the service's name; empty for what the service is there for.
    public let name: String
    /// The key of the object that carries it; nil: the value is no object.
    public let key: String?
    /// In what it counts, for people; empty for what has no unit.
    public let unit: String
    /// The numbers that it can have; nil where it is no number.
    public let range: ClosedRange<Double>?
    /// Whether a number is a truth, so that nothing can be calculated with it.
    public let isTruth: Bool
    /// The words that it can be, the first of which is 0; nil for what is no word.
    public let words: [String]?
    /// Whether a script can take it over; the others follow from what can be.
    public let isSettable: Bool
    /// By how much a client's words may differ from what was delivered.
    public let tolerance: Double
    /// The field without which a device does not have it; nil: it is always there.
    public let field: String?

    /// A number.
    public static func number(
        _ name: String = "", in range: ClosedRange<Double>, unit: String = "", key: String? = nil,
        isSettable: Bool = true, tolerance: Double = 0, field: String? = nil
    ) -> ValueDescription {
        ValueDescription(
            name: name, key: key, unit: unit, range: range, isTruth: false, words: nil, isSettable: isSettable, tolerance: tolerance,
            field: field)
    }

    /// What is so, or not.
    public static func truth(_ name: String, key: String? = nil, field: String? = nil) -> ValueDescription {
        ValueDescription(
            name: name, key: key, unit: "", range: 0...1, isTruth: true, words: nil, isSettable: true, tolerance: 0,
            field: field)
    }

    /// What is no number.
    public static func other(
        _ name: String, key: String? = nil, words: [String]? = nil, isSettable: Bool = true, tolerance: Double = 0,
        field: String? = nil
    ) -> ValueDescription {
        ValueDescription(
            name: name, key: key, unit: "", range: nil, isTruth: false, words: words, isSettable: isSettable,
            tolerance: tolerance, field: field)
    }

    /// Whether its values are numbers with which can be calculated.
    public var isNumber: Bool { range != nil && !isTruth }

    /// The octets of a word that it can be; nil for any other text.
    public func octets(of word: String) -> [UInt8]? { words?.firstIndex(of: word).map { [UInt8($0)] } }
}

/// What a client makes of a characteristic.
public struct ClientUse: Sendable {
    /// Whether a device is worth staying with for it.
    public enum Worth: Comparable, Sendable {
        /// No.
        case nothing
        /// Where there is nothing better: it says something about the device.
        case little
        /// It is what a client is there for.
        case much
    }

    /// What a client does with a value besides wording it.
    public enum Role: Sendable {
        /// Nothing.
        case worded
        /// Its statistics and its freshness count for the heart rate that is shown large.
        case heartRate
        /// Written to, to have the energy counted anew.
        case energyReset
    }

    /// What a client does with it.
    public let role: Role
    /// What the line of a value begins with: `battery`.
    public let key: String
    /// Whether a device is worth staying with for it.
    public let worth: Worth
    /// Whether a sensor measures it: such values are counted.
    public let isMeasurement: Bool
    /// Whether it is told again and again, so that a silence says that it is not true any more.
    public let expires: Bool
    /// Whether it is read again every so often.
    public let isPolled: Bool
    /// Its row on the screen; nil for none.
    public let row: ScreenFact?

    /// A line that begins with `key`.
    public init(
        _ key: String, as role: Role = .worded, worth: Worth = .much, isMeasurement: Bool, expires: Bool = false, isPolled: Bool = false,
        row: ScreenFact? = nil
    ) {
        (self.key, self.role, self.worth, self.isMeasurement) = (key, role, worth, isMeasurement)
        (self.expires, self.isPolled, self.row) = (expires, isPolled, row)
    }
}

/// A number on the screen of a client.
public struct ScreenFact: Hashable, Sendable {
    /// In front of the number.
    public let label: String
    /// Behind it.
    public let unit: String
    /// The member of the value; nil: the value itself.
    public let key: String?
    /// Up to this it is a warning; nil: never.
    public let warnsUpTo: Double?

    /// A number with its label.
    public init(_ label: String, unit: String, key: String? = nil, warnsUpTo: Double? = nil) {
        (self.label, self.unit, self.key, self.warnsUpTo) = (label, unit, key, warnsUpTo)
    }
}

/// From what a sensor is made: what the scenario says, and chance.
public struct SensorSource: Sendable {
    /// What the scenario says.
    public let configuration: ServiceConfiguration
    /// The service's own.
    public let chance: RandomStream
    /// Which of the context's hearts: its own, or else the device's first.
    public let heart: Int

    /// The same, if there is one.
    public func signal(_ field: Field<Curve?>, _ stream: String) -> Signal? {
        var chance = chance.stream(stream)
        let seed = chance.next()
        return configuration[field].map { Signal($0, seed: seed) }
    }

    /// The same for a curve that is no field of its own.
    public func signal(_ curve: Curve, _ stream: String) -> Signal {
        var chance = chance.stream(stream)
        return Signal(curve, seed: chance.next())
    }

    /// A curve whose chance has a name of its own.
    public func signal(_ field: Field<Curve>, _ stream: String) -> Signal {
        var chance = chance.stream(stream)
        return Signal(configuration[field], seed: chance.next())
    }
}
