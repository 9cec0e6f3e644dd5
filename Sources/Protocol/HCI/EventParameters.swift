public import Bluetooth

/// The current parameters of a connection.
public struct ConnectionTiming: FieldwiseParameters {
    /// Between connection events, in units of 1.25 ms.
    public var interval: UInt16 = 0
    /// The number of consecutive connection events that the peripheral may skip.
    public var latency: UInt16 = 0
    /// The time without a packet after which the connection is lost, in units of 10 ms.
    public var supervisionTimeout: UInt16 = 0

    /// As given.
    public init(interval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
        (self.interval, self.latency, self.supervisionTimeout) = (interval, latency, supervisionTimeout)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&interval, .number("Connection_Interval"))
        try coder.code(&latency, .number("Peripheral_Latency"))
        try coder.code(&supervisionTimeout, .number("Supervision_Timeout"))
    }
}

/// A new connection: HCI_LE_Connection_Complete without its status, section 7.7.65.1.
public struct ConnectionComplete: FieldwiseParameters {
    /// The roles in a connection.
    public enum Role: UInt8, Sendable {
        /// Initiated the connection, and sets its timing.
        case central
        /// Advertised.
        case peripheral
    }

    /// Identifies the connection in HCI while it exists: 0x0000 to 0x0EFF.
    public var handle: UInt16 = 0
    /// The role of this side.
    public var role = Role.central
    /// The address of the other side.
    public var peer = DeviceAddress(0, .public)
    /// Whether `peer` is an identity address that the controller has resolved: types 2 and 3.
    public var isPeerResolved = false
    /// Interval, latency and timeout.
    public var timing = ConnectionTiming()
    /// The accuracy of the central's clock: 0 (500 ppm) to 7 (20 ppm).
    public var clockAccuracy: UInt8 = 0

    /// As given.
    public init(
        handle: UInt16, role: Role, peer: DeviceAddress, isPeerResolved: Bool = false, timing: ConnectionTiming,
        clockAccuracy: UInt8 = 0
    ) {
        (self.handle, self.role, self.peer, self.isPeerResolved) = (handle, role, peer, isPeerResolved)
        (self.timing, self.clockAccuracy) = (timing, clockAccuracy)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try codePeer(with: &coder)
        try codeTiming(with: &coder)
    }

    fileprivate mutating func codePeer<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&handle, .handle)
        try coder.code(&role, .number("Role", allowed: "0 or 1"))
        try coder.code(&peer, &isPeerResolved, "Peer_Address")
    }

    fileprivate mutating func codeTiming<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&timing, .parameters())
        try coder.code(&clockAccuracy, .number("Central_Clock_Accuracy"))
    }
}

/// A new connection, and the resolvable private addresses that the two sides use: HCI_LE_Enhanced_Connection_Complete
/// without its status, section 7.7.65.10.
public struct EnhancedConnectionComplete: FieldwiseParameters {
    /// The connection.
    public var connection = ConnectionComplete()
    /// This side's address; all zeros: none.
    public var localPrivateAddress = DeviceAddress(0, .public)
    /// The peer's address; all zeros: none.
    public var peerPrivateAddress = DeviceAddress(0, .public)

    /// By default without private addresses.
    public init(
        _ connection: ConnectionComplete, localPrivateAddress: DeviceAddress = DeviceAddress(0, .random),
        peerPrivateAddress: DeviceAddress = DeviceAddress(0, .random)
    ) {
        self.connection = connection
        (self.localPrivateAddress, self.peerPrivateAddress) = (localPrivateAddress, peerPrivateAddress)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try connection.codePeer(with: &coder)
        try coder.code(&localPrivateAddress, .randomAddress("Local_Resolvable_Private_Address"))
        try coder.code(&peerPrivateAddress, .randomAddress("Peer_Resolvable_Private_Address"))
        try connection.codeTiming(with: &coder)
    }
}

/// One packet of an advertiser: a report of HCI_LE_Advertising_Report, section 7.7.65.2.
public struct AdvertisingReport: FieldwiseParameters {
    /// The kind of packet.
    public enum Kind: UInt8, Sendable {
        /// ADV_IND: every peer may scan or connect.
        case undirected
        /// ADV_DIRECT_IND: one central may connect.
        case directed
        /// ADV_SCAN_IND: every peer may scan.
        case scannable
        /// ADV_NONCONN_IND: no peer may respond.
        case nonConnectable
        /// SCAN_RSP: the response to a scan request.
        case scanResponse
    }

    /// The kind of packet.
    public var kind = Kind.undirected
    /// The advertiser.
    public var address = DeviceAddress(0, .public)
    /// Whether `address` is an identity address that the controller has resolved: types 2 and 3.
    public var isResolved = false
    /// Whether it came in extended advertising PDUs; never in this event.  Core 6.0, Vol 6, Part B, section 2.3.1.
    public var isExtended = false
    /// Whether the controller received only the beginning of the data; never in this event.
    public var isTruncated = false
    /// As it was sent: 31 octets at most in this event.
    public var data: [UInt8] = []
    /// The signal strength, in dBm: −127 to 20; 127: unknown.
    public var rssi: Int8 = 0

    /// As given.
    public init(kind: Kind, address: DeviceAddress, isResolved: Bool = false, data: [UInt8], rssi: Int8) {
        (self.kind, self.address, self.isResolved) = (kind, address, isResolved)
        (self.data, self.rssi) = (data, rssi)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&kind, .number("Event_Type", allowed: "0 to 4"))
        try coder.code(&address, &isResolved, "Address")
        try coder.code(&data, .counted("Data", maximum: 31))
        try coder.code(&rssi, .number("RSSI"))
    }
}
