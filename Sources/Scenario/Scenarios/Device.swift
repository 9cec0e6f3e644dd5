public import Bluetooth

/// A device of a scenario.
public struct Device: Hashable, Sendable {
    /// The role of a device.
    public enum Role: String, CaseIterable, Sendable {
        /// It advertises and accepts connections.
        case peripheral
        /// A second central, which can connect to a peripheral and so keep other clients away.
        case central
    }

    /// Its name in the scenario.
    public var id: String
    /// The GAP device name.
    public var name: String
    /// The role.
    public var role: Role
    /// The address; by default numbered by position, `C0:FF:EE:00:00:01/random` for the first.
    public var address: DeviceAddress
    /// The distance to the client, in metres.
    public var distance: Double
    /// The maximum number of connections.
    public var connections: Int
    /// The advertising parameters.
    public var advertising: Advertising
    /// The preferred connection parameters.
    public var link: Link
    /// The pairing parameters; nil for no pairing.
    public var security: Security?
    /// The services in the file's order, and then those that rules add.
    public var services: [Service]
}

/// The advertising data and parameters of a device.
public struct Advertising: Hashable, Sendable {
    /// A phase with an advertising interval.
    public struct Phase: Hashable, Sendable {
        /// The advertising interval.
        public var interval: Duration
        /// The duration; nil for unlimited.
        public var duration: Duration?
    }

    /// Service Data, an AD type.
    public struct ServiceData: Hashable, Sendable {
        /// The service.
        public var uuid: UUID
        /// The data without the UUID.
        public var octets: [UInt8]
    }

    /// Manufacturer Specific Data, an AD type.
    public struct ManufacturerData: Hashable, Sendable {
        /// The company's assigned number.
        public var company: UInt16
        /// The data without the company's number.
        public var octets: [UInt8]
    }

    /// The content of a packet.
    public struct Payload: Hashable, Sendable {
        /// The listed services.
        public var services: [UUID] = []
        /// The data, in the file's order.
        public var serviceData: [ServiceData] = []
        /// The data, in the file's order.
        public var manufacturerData: [ManufacturerData] = []
        /// The appearance; 833 is a heart rate belt.
        public var appearance: UInt16?
        /// The transmit power, in dBm.
        public var txPower: Int8?
    }

    /// Consecutive phases; `{"interval": …}` alone is one unlimited phase.
    public var phases: [Phase]
    /// The advertising data.
    public var payload: Payload
    /// The scan response data; nil: the device chooses.
    public var scanResponse: Payload?
    /// Whether the device accepts connections.
    public var isConnectable: Bool
}

/// The connection parameters that a peripheral prefers; nil for no preference.
public struct Link: Hashable, Sendable {
    /// The connection interval.
    public var interval: Duration?
    /// The peripheral latency: consecutive connection events that the device may skip.
    public var latency: Int?
    /// The supervision timeout.
    public var timeout: Duration?
    /// The largest ATT MTU, in octets.
    public var mtu: Int?
}

/// The pairing parameters of a device.
public struct Security: Hashable, Sendable {
    /// The IO capability.  Core 6.0, Vol 3, Part H, section 2.3.2.
    public enum IO: String, CaseIterable, Sendable {
        /// Shows six digits.
        case displayOnly = "display_only"
        /// Shows six digits, and takes a yes or no.
        case displayYesNo = "display_yes_no"
        /// Takes six digits.
        case keyboardOnly = "keyboard_only"
        /// Nothing.
        case noInputNoOutput = "no_input_no_output"
        /// Shows and takes six digits.
        case keyboardDisplay = "keyboard_display"
    }

    /// The IO capability.
    public var io: IO
    /// A fixed passkey of six digits.
    public var passkey: Int?
    /// Whether it stores keys.
    public var isBonding: Bool
    /// Whether it supports LE Secure Connections.
    public var hasSecureConnections: Bool
    /// The maximum number of bonds.
    public var bonds: Int?
}
