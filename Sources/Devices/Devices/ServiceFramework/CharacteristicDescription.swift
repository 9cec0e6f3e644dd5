package import Bluetooth
package import Characteristics
package import Documents
package import GATT

/// A characteristic of a service.
package struct CharacteristicDescription: Sendable {
    package let uuid: UUID
    /// Its name in the Assigned Numbers: `Battery Level`.
    package let title: String
    /// The operations that a client may use.
    package let properties: CharacteristicProperties
    /// The codec of its octets; nil when only the service's client can decode them.
    package let format: (any CharacteristicValue.Type)?
    package let value: ValueDescription
    /// The named parts of its value.
    package let members: [ValueDescription]
    package let client: ClientUse
    /// Characteristic User Description.  Core 6.0, Vol 3, Part G, section 3.3.3.2.
    private let userDescription: String?
    /// Completes the definition for a configuration: descriptors, permissions, a fixed handle.
    private let complete: @Sendable (inout CharacteristicDefinition, ServiceConfiguration) -> Void

    package init(
        _ uuid: UUID, _ title: String, _ properties: CharacteristicProperties, userDescription: String? = nil,
        format: (any CharacteristicValue.Type)?, value: ValueDescription, members: [ValueDescription] = [],
        client: ClientUse,
        complete: @escaping @Sendable (inout CharacteristicDefinition, ServiceConfiguration) -> Void = { _, _ in }
    ) {
        (self.uuid, self.title, self.properties, self.format) = (uuid, title, properties, format)
        (self.value, self.members, self.client, self.complete) = (value, members, client, complete)
        self.userDescription = userDescription
    }

    /// A vendor-specific one, with its Characteristic User Description.
    package init(
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
        if let userDescription {
            definition.descriptors.append(
                DescriptorDefinition(uuid: .characteristicUserDescription, value: Array(userDescription.utf8)))
        }
        complete(&definition, configuration)
        return definition
    }
}

/// How the built-in client uses a characteristic.
package struct ClientUse: Sendable {
    /// Whether the client keeps a connection for it.
    package enum Importance: Comparable, Sendable {
        case none
        /// Only without a better device: it describes the device.
        case extra
        /// Always: it is a measurement.
        case purpose
    }

    /// The client's action in addition to printing the value.
    package enum Role: Hashable, Sendable {
        case printed
        /// Counts it for the statistics and the freshness of the heart rate.
        case heartRate
        case energyReset
        /// Counts a stream of heart rates.
        case heartRates
        /// Reads the sample rate of an ECG.
        case ecgDescription
        /// Counts a stream of samples.
        case ecgSamples
        /// Requests samples of Polar Measurement Data.
        case pmdControlPoint
        /// Counts a stream of Polar's samples.
        case pmdSamples

        /// Whether the client prints how many values it received, and which.
        package var isStream: Bool {
            switch self {
            case .heartRates, .ecgSamples, .pmdSamples: true
            case .printed, .heartRate, .energyReset, .ecgDescription, .pmdControlPoint: false
            }
        }
    }

    /// The client's action in addition to printing the value.
    package let role: Role
    /// The first key of the value's line: `battery`.
    package let key: String
    /// An example of a line's value; nil for a characteristic without a line.
    package let example: Node?
    /// The key of the value in an object under `key`; nil: the value is directly under `key`.
    package let member: String?
    /// Whether the client keeps a connection for it.
    package let importance: Importance
    /// Whether it is a measurement: the client counts those lines.
    package let isMeasurement: Bool
    /// Whether the client prints that the value is out of date when notifications stop.
    package let expires: Bool
    package let isPolled: Bool
    /// Whether a value may be longer than one PDU.
    package let isLong: Bool
    /// Its row on the screen; nil for none.
    package let row: ScreenFact?

    package init(
        _ key: String, _ example: Node? = nil, member: String? = nil, role: Role = .printed,
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

/// A number on the client's screen.
package struct ScreenFact: Hashable, Sendable {
    /// Its place on the screen.
    package enum Place: Hashable, Sendable {
        case row
        /// In the chart of steps: the total.
        case steps
        /// In the chart of steps: those of today.
        case stepsToday
    }

    package let place: Place
    /// The text before the number.
    package let label: String
    /// The text after the number.
    package let unit: String
    /// The member of the value; nil: the value itself.
    package let key: String?
    /// The number of decimals; nil: as many as the number has.
    package let decimals: Int?
    /// Numbers up to this one are shown as a warning; nil: none.
    package let warnsUpTo: Double?
    /// Whether the row is visible before the first value.
    package let isAlwaysThere: Bool
    /// The label of a row that this one ends; nil: none.
    package let replaced: String?

    /// A number with its label, in a row.
    package init(
        _ label: String, unit: String, key: String? = nil, decimals: Int? = nil, warnsUpTo: Double? = nil,
        isAlwaysThere: Bool = false, replacing replaced: String? = nil
    ) {
        self.replaced = replaced
        (place, self.label, self.unit, self.key) = (.row, label, unit, key)
        (self.decimals, self.warnsUpTo, self.isAlwaysThere) = (decimals, warnsUpTo, isAlwaysThere)
    }

    /// A number that a chart shows.
    package init(_ place: Place) {
        (self.place, label, unit, key) = (place, "", "", nil)
        (decimals, warnsUpTo, isAlwaysThere, replaced) = (nil, nil, false, nil)
    }
}
