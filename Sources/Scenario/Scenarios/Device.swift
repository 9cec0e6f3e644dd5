public import Bluetooth

/// A device of a scenario, and what it has.
public struct Device: Hashable, Sendable {
    /// What it can be.
    public enum Role: String, CaseIterable, Sendable {
        /// It advertises, and waits to be connected to.
        case peripheral
        /// A second central, which may connect to a peripheral and so take it away.
        case central
    }

    /// What the scenario calls it.
    public var id: String
    /// What it calls itself: the GAP device name.
    public var name: String
    /// What it is.
    public var role: Role
    /// As written; else by its place in the list, `C0:FF:EE:00:00:01/random` for the first.
    public var address: DeviceAddress
    /// To the client, in metres.
    public var distance: Double
    /// So many at once.
    public var connections: Int
    /// How it makes itself known.
    public var advertising: Advertising
    /// The connection that it prefers.
    public var link: Link
    /// How it pairs; nil when it does not.
    public var security: Security?
    /// In the file's order, and then those that rules add; ``Thing`` counts them from 0.
    public var services: [Service]
}

/// What a device sends while it waits for a connection.
public struct Advertising: Hashable, Sendable {
    /// An interval that lasts for a while.
    public struct Phase: Hashable, Sendable {
        /// Between two advertising events.
        public var interval: Duration
        /// How long; nil for ever.
        public var duration: Duration?
    }

    /// Octets that belong to a service: AD type Service Data.
    public struct ServiceData: Hashable, Sendable {
        /// The service.
        public var uuid: UUID
        /// Without the UUID.
        public var octets: [UInt8]
    }

    /// Octets that a company gives a meaning: AD type Manufacturer Specific Data.
    public struct ManufacturerData: Hashable, Sendable {
        /// The company's assigned number.
        public var company: UInt16
        /// Without the number.
        public var octets: [UInt8]
    }

    /// What a packet says.
    public struct Payload: Hashable, Sendable {
        /// The services that it lists.
        public var services: [UUID] = []
        /// In the file's order.
        public var serviceData: [ServiceData] = []
        /// In the file's order.
        public var manufacturerData: [ManufacturerData] = []
        /// The category that the device says it belongs to; 833 is a heart rate belt.
        public var appearance: UInt16?
        /// In dBm.
        public var txPower: Int8?
    }

    /// One after the other; `{"interval": …}` alone is one that lasts for ever.
    public var phases: [Phase]
    /// What is sent unasked.
    public var payload: Payload
    /// What is sent when a scanner asks; nil: what is to be sent then is left to the device.
    public var scanResponse: Payload?
    /// Whether a connection can be made.
    public var isConnectable: Bool
}

/// The parameters of a connection that a peripheral asks for; nil for what it does not mind.
public struct Link: Hashable, Sendable {
    /// Between two connection events.
    public var interval: Duration?
    /// So many events in a row may be slept through.
    public var latency: Int?
    /// The supervision timeout.
    public var timeout: Duration?
    /// The largest ATT MTU that it takes.
    public var mtu: Int?
}

/// How a device pairs.
public struct Security: Hashable, Sendable {
    /// What a person can do with it.  Core 6.0, Vol 3, Part H, section 2.3.2.
    public enum IO: String, CaseIterable, Sendable {
        /// Shows six digits.
        case displayOnly = "display_only"
        /// Shows six digits, and can be told yes or no.
        case displayYesNo = "display_yes_no"
        /// Takes six digits.
        case keyboardOnly = "keyboard_only"
        /// Nothing.
        case noInputNoOutput = "no_input_no_output"
        /// Shows and takes six digits.
        case keyboardDisplay = "keyboard_display"
    }

    /// What a person can do with it.
    public var io: IO
    /// The six digits, when they are always the same.
    public var passkey: Int?
    /// Whether it keeps keys.
    public var isBonding: Bool
    /// Whether it can LE Secure Connections.
    public var hasSecureConnections: Bool
    /// So many bonds at once.
    public var bonds: Int?
}
