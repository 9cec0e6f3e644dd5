public import Bluetooth
public import Characteristics
public import GATT

/// A characteristic of a service.
public struct CharacteristicDescription: Sendable {
    /// The UUID that a client discovers.
    public let uuid: UUID
    /// As the Assigned Numbers call it: `Battery Level`.
    public let title: String
    /// What a client may do.
    public let properties: CharacteristicProperties
    /// How its octets are read; nil when nobody but the service's client knows.
    public let format: (any CharacteristicValue.Type)?
    /// Its value as a whole.
    public let value: ValueDescription
    /// Values that are sent within it.
    public let members: [ValueDescription]
    /// What a client does with it.
    public let client: ClientUse
    /// The rest of its definition in a device with this configuration: descriptors, permissions, a fixed handle.
    private let complete: @Sendable (inout CharacteristicDefinition, ServiceConfiguration) -> Void

    /// A characteristic with one value, or with a value and its members.
    public init(
        _ uuid: UUID, _ title: String, _ properties: CharacteristicProperties,
        format: (any CharacteristicValue.Type)?, value: ValueDescription, members: [ValueDescription] = [],
        client: ClientUse,
        complete: @escaping @Sendable (inout CharacteristicDefinition, ServiceConfiguration) -> Void = { _, _ in }
    ) {
        (self.uuid, self.title, self.properties, self.format) = (uuid, title, properties, format)
        (self.value, self.members, self.client, self.complete) = (value, members, client, complete)
    }

    /// One with a Characteristic User Description.  Core 6.0, Vol 3, Part G, section 3.3.3.2.
    public init(
        _ uuid: UUID, _ title: String, _ properties: CharacteristicProperties, userDescription: String,
        format: any CharacteristicValue.Type, value: ValueDescription, members: [ValueDescription] = [],
        client: ClientUse
    ) {
        self.init(uuid, title, properties, format: format, value: value, members: members, client: client) {
            definition, _ in
            definition.descriptors.append(
                DescriptorDefinition(uuid: .characteristicUserDescription, value: Array(userDescription.utf8)))
        }
    }

    /// One of Lubdub's own, with its Characteristic User Description.
    public init(
        _ kind: VendorUUID, _ properties: CharacteristicProperties, format: any CharacteristicValue.Type,
        value: ValueDescription, members: [ValueDescription] = [], client: ClientUse
    ) {
        let title = kind.userDescription ?? ""
        self.init(
            kind.uuid, title, properties, userDescription: title, format: format, value: value, members: members,
            client: client)
    }

    func definition(_ configuration: ServiceConfiguration) -> CharacteristicDefinition {
        var definition = CharacteristicDefinition(uuid: uuid, properties: properties)
        complete(&definition, configuration)
        return definition
    }
}

/// What the built-in client does with a characteristic.
public struct ClientUse: Sendable {
    /// Whether a device is worth a connection for it.
    public enum Importance: Comparable, Sendable {
        /// No.
        case none
        /// Only if nothing better is there: it says something about the device.
        case extra
        /// It is what a client is there for.
        case purpose
    }

    /// What a client does with a value besides printing it.
    public enum Role: Hashable, Sendable {
        /// Nothing.
        case printed
        /// Counts it for the statistics and the freshness of the heart rate.
        case heartRate
        /// Writes to it to have Energy Expended reset.
        case energyReset
        /// Counts a stream of heart rates.
        case heartRates
        /// Reads the sample rate of an ECG.
        case ecgDescription
        /// Counts a stream of samples.
        case ecgSamples
        /// Asks Polar Measurement Data for samples.
        case pmdControlPoint
        /// Counts a stream of Polar's samples.
        case pmdSamples
    }

    /// What a client does besides printing it.
    public let role: Role
    /// The first key of the line that a value becomes: `battery`.
    public let key: String
    /// What a line may have under the key, for people; empty for a characteristic that has no line.
    public let example: String
    /// The key of the value in an object under `key`; nil: the value itself is under `key`.
    public let member: String?
    /// Whether a device is worth a connection for it.
    public let importance: Importance
    /// Whether a sensor measures it: such lines are counted.
    public let isMeasurement: Bool
    /// Whether the client prints that the value is no longer true when notifications stop.
    public let expires: Bool
    /// Whether the client reads it again and again.
    public let isPolled: Bool
    /// Whether a value may be longer than one PDU.
    public let isLong: Bool
    /// Its row on the screen; nil for none.
    public let row: ScreenFact?

    /// Lines with this key.
    public init(
        _ key: String, _ example: String = "", member: String? = nil, role: Role = .printed,
        importance: Importance = .purpose,
        isMeasurement: Bool, expires: Bool = false, isPolled: Bool = false, isLong: Bool = false,
        row: ScreenFact? = nil
    ) {
        (self.key, self.example, self.member) = (key, example, member)
        (self.role, self.importance) = (role, importance)
        (self.isMeasurement, self.expires, self.isPolled, self.isLong) = (isMeasurement, expires, isPolled, isLong)
        self.row = row
    }
}

/// A number on the screen of a client.
public struct ScreenFact: Hashable, Sendable {
    /// Where it is.
    public enum Place: Hashable, Sendable {
        /// In a row with its label.
        case row
        /// In the chart of steps: all of them.
        case steps
        /// In the chart of steps: those of the day.
        case stepsToday
    }

    /// Where it is.
    public let place: Place
    /// Before the number.
    public let label: String
    /// After the number.
    public let unit: String
    /// The member of the value; nil: the value itself.
    public let key: String?
    /// Digits after the point; nil: as many as the number has.
    public let decimals: Int?
    /// A number up to this is a warning; nil: none is.
    public let warnsUpTo: Double?
    /// Whether the row is there before the first value.
    public let isAlwaysThere: Bool

    /// A number with its label, in a row.
    public init(
        _ label: String, unit: String, key: String? = nil, decimals: Int? = nil, warnsUpTo: Double? = nil,
        isAlwaysThere: Bool = false
    ) {
        (place, self.label, self.unit, self.key) = (.row, label, unit, key)
        (self.decimals, self.warnsUpTo, self.isAlwaysThere) = (decimals, warnsUpTo, isAlwaysThere)
    }

    /// A number that a chart shows.
    public init(_ place: Place) {
        (self.place, label, unit, key) = (place, "", "", nil)
        (decimals, warnsUpTo, isAlwaysThere) = (nil, nil, false)
    }
}
