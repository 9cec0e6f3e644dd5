public import Bluetooth

/// The address that a controller uses for advertising, scanning or connecting: `Own_Address_Type`.
public enum OwnAddress: UInt8, Sendable {
    /// The public address.
    case `public`
    /// The random address that the host set.
    case random
    /// A private address that the controller generates, or the public one.
    case resolvableOrPublic
    /// A private address that the controller generates, or the random one.
    case resolvableOrRandom
}

/// HCI_LE_Set_Advertising_Parameters: Core 6.0, Vol 4, Part E, section 7.8.5.
public struct AdvertisingParameters: FieldwiseParameters {
    /// The kind of packets, and how peers may respond: `Advertising_Type`.
    public enum Kind: UInt8, Sendable {
        /// ADV_IND: every peer may scan or connect.
        case undirected
        /// ADV_DIRECT_IND, high duty cycle: for 1.28 s at most.
        case directedHighDuty
        /// ADV_SCAN_IND: every peer may scan, none may connect.
        case scannable
        /// ADV_NONCONN_IND: no peer may respond.
        case nonConnectable
        /// ADV_DIRECT_IND, low duty cycle: at the interval.
        case directedLowDuty
    }

    /// The minimum time between advertising events, in units of 0.625 ms: 0x0020 to 0x4000.
    public var minimumInterval: UInt16 = 0
    /// The maximum, in units of 0.625 ms.
    public var maximumInterval: UInt16 = 0
    /// The kind of packets.
    public var kind = Kind.undirected
    /// The address to use.
    public var ownAddress = OwnAddress.public
    /// The target of directed advertising.
    public var peer = DeviceAddress(0, .public)
    /// Bits 0 to 2: channels 37 to 39.
    public var channelMap: UInt8 = 0
    /// 0 to 3: bit 0 for scan requests, bit 1 for connection requests; set: only peers in the accept list.
    public var filterPolicy: UInt8 = 0

    /// The filter policy with which only peers in the accept list can connect.
    public static let onlyAcceptedConnect: UInt8 = 0b10

    /// By default undirected, open to every peer, on all channels.
    public init(
        minimumInterval: UInt16, maximumInterval: UInt16, kind: Kind = .undirected, ownAddress: OwnAddress = .public,
        peer: DeviceAddress = DeviceAddress(0, .public), channelMap: UInt8 = 0b111, filterPolicy: UInt8 = 0
    ) {
        (self.minimumInterval, self.maximumInterval, self.kind) = (minimumInterval, maximumInterval, kind)
        (self.ownAddress, self.peer) = (ownAddress, peer)
        (self.channelMap, self.filterPolicy) = (channelMap, filterPolicy)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&minimumInterval, .number("Advertising_Interval_Min"))
        try coder.code(&maximumInterval, .number("Advertising_Interval_Max"))
        try coder.code(&kind, .number("Advertising_Type", allowed: "0 to 4"))
        try coder.code(&ownAddress, .ownAddress)
        try coder.code(&peer, .address("Peer_Address"))
        try coder.code(&channelMap, .number("Advertising_Channel_Map"))
        try coder.code(&filterPolicy, .number("Advertising_Filter_Policy"))
    }
}

/// HCI_LE_Set_Scan_Parameters: Core 6.0, Vol 4, Part E, section 7.8.10.
public struct ScanParameters: FieldwiseParameters {
    /// Whether the scanner requests scan responses.
    public var isActive = false
    /// From the start of one window to the start of the next, in units of 0.625 ms: 0x0004 to 0x4000.
    public var interval: UInt16 = 0
    /// The duration of a window, in units of 0.625 ms: 0x0004 to the interval.
    public var window: UInt16 = 0
    /// The address of scan requests.
    public var ownAddress = OwnAddress.public
    /// 0: every advertiser; 1: only those in the accept list.
    public var filterPolicy: UInt8 = 0

    /// By default of every advertiser.
    public init(
        isActive: Bool, interval: UInt16, window: UInt16, ownAddress: OwnAddress = .public, filterPolicy: UInt8 = 0
    ) {
        (self.isActive, self.interval, self.window) = (isActive, interval, window)
        (self.ownAddress, self.filterPolicy) = (ownAddress, filterPolicy)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&isActive, .flag("LE_Scan_Type"))
        try coder.code(&interval, .number("LE_Scan_Interval"))
        try coder.code(&window, .number("LE_Scan_Window"))
        try coder.code(&ownAddress, .ownAddress)
        try coder.code(&filterPolicy, .number("Scanning_Filter_Policy"))
    }
}

/// HCI_LE_Create_Connection: Core 6.0, Vol 4, Part E, section 7.8.12.
public struct ConnectionCreation: FieldwiseParameters {
    /// From the start of one window to the start of the next, in units of 0.625 ms: 0x0004 to 0x4000.
    public var scanInterval: UInt16 = 0
    /// The duration of a window, in units of 0.625 ms.
    public var scanWindow: UInt16 = 0
    /// Whether to connect to any peer in the accept list; `peer` is then ignored.
    public var usesAcceptList = false
    /// The peer to connect to.
    public var peer = DeviceAddress(0, .public)
    /// The address to use.
    public var ownAddress = OwnAddress.public
    /// The parameters of the connection.
    public var parameters = ConnectionParameters.zero
    /// A hint, in units of 0.625 ms.
    public var minimumEventLength: UInt16 = 0
    /// A hint, in units of 0.625 ms.
    public var maximumEventLength: UInt16 = 0

    /// By default scanning continuously.
    public init(
        to peer: DeviceAddress, parameters: ConnectionParameters, scanInterval: UInt16 = 0x60,
        scanWindow: UInt16 = 0x60, usesAcceptList: Bool = false, ownAddress: OwnAddress = .public,
        minimumEventLength: UInt16 = 0, maximumEventLength: UInt16 = 0
    ) {
        (self.scanInterval, self.scanWindow) = (scanInterval, scanWindow)
        (self.usesAcceptList, self.peer, self.ownAddress) = (usesAcceptList, peer, ownAddress)
        self.parameters = parameters
        (self.minimumEventLength, self.maximumEventLength) = (minimumEventLength, maximumEventLength)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&scanInterval, .number("LE_Scan_Interval"))
        try coder.code(&scanWindow, .number("LE_Scan_Window"))
        try coder.code(&usesAcceptList, .flag("Initiator_Filter_Policy"))
        try coder.code(&peer, .address("Peer_Address"))
        try coder.code(&ownAddress, .ownAddress)
        try coder.code(&parameters, .parameters())
        try coder.code(&minimumEventLength, .number("Min_CE_Length"))
        try coder.code(&maximumEventLength, .number("Max_CE_Length"))
    }
}

/// New parameters of a connection, which a host requests (HCI_LE_Connection_Update) or accepts
/// (HCI_LE_Remote_Connection_Parameter_Request_Reply): Core 6.0, Vol 4, Part E, sections 7.8.18 and 7.8.31.
///
/// Connection_Handle (2 octets), `ConnectionParameters` (8), CE_Length (2 + 2).
public struct ConnectionUpdate: FieldwiseParameters {
    /// The connection.
    public var handle: UInt16 = 0
    /// The parameters of the connection.
    public var parameters = ConnectionParameters.zero
    /// A hint, in units of 0.625 ms.
    public var minimumEventLength: UInt16 = 0
    /// A hint, in units of 0.625 ms.
    public var maximumEventLength: UInt16 = 0

    /// By default without a hint.
    public init(
        handle: UInt16, parameters: ConnectionParameters, minimumEventLength: UInt16 = 0,
        maximumEventLength: UInt16 = 0
    ) {
        (self.handle, self.parameters) = (handle, parameters)
        (self.minimumEventLength, self.maximumEventLength) = (minimumEventLength, maximumEventLength)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&handle, .handle)
        try coder.code(&parameters, .parameters())
        try coder.code(&minimumEventLength, .number("Min_CE_Length"))
        try coder.code(&maximumEventLength, .number("Max_CE_Length"))
    }
}

/// The packets of a connection that have been sent or flushed.  HCI_Number_Of_Completed_Packets (Core 6.0, Vol 4, Part
/// E, section 7.7.19) and HCI_Host_Number_Of_Completed_Packets (section 7.3.40) are lists of these.
public struct CompletedPackets: FieldwiseParameters {
    /// The connection.
    public var handle: UInt16 = 0
    /// The number of packets since the last such event or command.
    public var count: UInt16 = 0

    /// `count` packets of one connection.
    public init(handle: UInt16, count: UInt16) { (self.handle, self.count) = (handle, count) }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&handle, .handle)
        try coder.code(&count, .number("Num_Completed_Packets"))
    }
}
