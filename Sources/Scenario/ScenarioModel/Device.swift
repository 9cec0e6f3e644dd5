package import Bluetooth
package import SecurityManager

/// A device of a scenario.
package struct Device: Hashable, Sendable {
    package enum Role: String, CaseIterable, Sendable {
        /// It advertises and accepts connections.
        case peripheral
        /// A second central, which can connect to a peripheral and so keep other clients away.
        case central
    }

    package var id: String
    package var name: String
    package var role = Role.peripheral
    /// The address; by default numbered by position, `C0:FF:EE:00:00:01/random` for the first.
    package var address: DeviceAddress
    /// The distance to the client, in metres.
    package var distance = 1.0
    package var connections = 1
    /// Whether a write of fewer octets than a value of fixed length has is rejected; else it changes the first ones.
    package var rejectsShortWrites = false
    /// Whether a client that subscribes gets a value before the response.
    package var sendsEarlyValues = false
    /// Whether Generic Access and Generic Attribute precede the services; else these contain them, or it has none.
    package var hasGenericServices = true
    package var advertising = Advertising()
    /// The preferred connection parameters.
    package var link = Link()
    /// The pairing parameters; nil for no pairing.
    package var security: Security?
    /// The services in the file's order, and then those that rules add.
    package var services: [Service] = []

    /// Whether its address is visible only to bonded peers.
    package var hasPrivacy: Bool { security?.privacy != nil }

    /// A peripheral with the defaults of the language, and the name `id`.
    package init(id: String, address: DeviceAddress) { (self.id, name, self.address) = (id, id, address) }
}

/// The advertising data and parameters of a device.
package struct Advertising: Hashable, Sendable {
    /// A phase with an advertising interval.
    package struct Phase: Hashable, Sendable {
        package var interval: Duration
        /// The duration; nil for unlimited.
        package var duration: Duration?

        package init(interval: Duration, duration: Duration? = nil) {
            (self.interval, self.duration) = (interval, duration)
        }
    }

    /// Service Data, an AD type.
    package struct ServiceData: Hashable, Sendable {
        package var uuid: UUID
        /// The data without the UUID; with `fields`, as it is before they have values.
        package var octets: [UInt8]
        /// The parts of which the data consists; empty: it never changes.
        package var fields: [Field] = []

        package init(uuid: UUID, octets: [UInt8]) { (self.uuid, self.octets) = (uuid, octets) }
    }

    /// Manufacturer Specific Data, an AD type.
    package struct ManufacturerData: Hashable, Sendable {
        /// The company's assigned number.
        package var company: UInt16
        /// The data without the company's number; with `fields`, as it is before they have values.
        package var octets: [UInt8]
        /// The parts of which the data consists; empty: it never changes.
        package var fields: [Field] = []

        package init(company: UInt16, octets: [UInt8]) { (self.company, self.octets) = (company, octets) }
    }

    /// The content of a packet.
    package struct Payload: Hashable, Sendable {
        package var services: [UUID] = []
        /// Those of the services that are sent with 128 bits although they have 16.
        package var fullServices: Set<UUID> = []
        /// Whether the list of services is declared to be complete.
        package var hasAllServices = true
        /// The data, in the file's order.
        package var serviceData: [ServiceData] = []
        /// The data, in the file's order.
        package var manufacturerData: [ManufacturerData] = []
        /// The appearance; 833 is a heart rate belt.
        package var appearance: UInt16?
        /// The transmit power, in dBm.
        package var txPower: Int8?
        /// The whole data as octets, which the device sends instead; the other fields are what it contains.
        package var octets: [UInt8]?

        package init() {}
    }

    /// Consecutive phases; `{"interval": …}` alone is one unlimited phase.
    package var phases = [Phase(interval: .milliseconds(100))]
    /// The advertising data.
    package var payload = Payload()
    /// The scan response data; nil: the device chooses.
    package var scanResponse: Payload?
    package var isConnectable = true
    /// How often the fields get new values.
    package var update = Duration.seconds(1)
    /// Whether it lets only bonded clients connect, as soon as there is one.
    package var isForBonded = false
    /// Whether it calls the client that it has bonded with last, as soon as there is one.
    package var isDirected = false

    package init() {}
}

/// The connection parameters that a peripheral prefers; nil for no preference.
package struct Link: Hashable, Sendable {
    package var interval: Duration?
    /// The peripheral latency: consecutive connection events that the device may skip.
    package var latency: Int?
    package var timeout: Duration?
    /// The largest ATT MTU, in octets.
    package var mtu: Int?

    package init() {}
}

/// The pairing parameters of a device.
package struct Security: Hashable, Sendable {
    package var io = IOCapability.noInputNoOutput
    /// A fixed passkey of six digits.
    package var passkey: Int?
    package var isBonding = true
    /// Whether it uses LE Secure Connections.
    package var secureConnections = SecuritySettings.Preference.preferred
    /// Whether pairing authenticates the peer.
    package var mitmProtection = SecuritySettings.Preference.off
    /// The lengths of encryption keys that it accepts, in octets.
    package var keySizes = 7...16
    package var bonds: Int?
    /// Whether it has a bond with the client from the start.
    package var isBonded = false
    /// Whether it can exchange data another way than by Bluetooth.
    package var hasOutOfBand = false
    /// Whether it distributes a key for signed data.
    package var hasSigningKey = false
    /// How long it uses a resolvable private address; nil: it uses its identity address.
    package var privacy: Duration?

    package init() {}
}
