public import Bluetooth
public import Octets

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
///
/// | Octets | Field                    | Meaning                                            |
/// |--------|--------------------------|----------------------------------------------------|
/// | 2 + 2  | Advertising_Interval     | minimum and maximum, 0.625 ms; 0x0020 to 0x4000    |
/// | 1      | Advertising_Type         | see `Kind`                                         |
/// | 1      | Own_Address_Type         | see `OwnAddress`                                   |
/// | 1 + 6  | Peer_Address             | the target of directed advertising                 |
/// | 1      | Advertising_Channel_Map  | bits 0 to 2: channels 37 to 39                     |
/// | 1      | Advertising_Filter_Policy| bit 0: scan requests, bit 1: connection requests of the accept list only |
public struct AdvertisingParameters: Parameters {
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

    /// The minimum time between advertising events, in units of 0.625 ms.
    public var minimumInterval: UInt16
    /// The maximum, in units of 0.625 ms.
    public var maximumInterval: UInt16
    /// The kind of packets.
    public var kind: Kind
    /// The address to use.
    public var ownAddress: OwnAddress
    /// The target of directed advertising.
    public var peer: DeviceAddress
    /// Bits 0 to 2: channels 37 to 39.
    public var channelMap: UInt8
    /// 0 to 3: bit 0 for scan requests, bit 1 for connection requests; set: only peers in the accept list.
    public var filterPolicy: UInt8

    /// By default undirected, open to every peer, on all channels.
    public init(
        minimumInterval: UInt16, maximumInterval: UInt16, kind: Kind = .undirected, ownAddress: OwnAddress = .public,
        peer: DeviceAddress = DeviceAddress(0, .public), channelMap: UInt8 = 0b111, filterPolicy: UInt8 = 0
    ) {
        (self.minimumInterval, self.maximumInterval, self.kind) = (minimumInterval, maximumInterval, kind)
        (self.ownAddress, self.peer) = (ownAddress, peer)
        (self.channelMap, self.filterPolicy) = (channelMap, filterPolicy)
    }

    /// Reads 15 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        minimumInterval = try reader.uint16("Advertising_Interval_Min")
        maximumInterval = try reader.uint16("Advertising_Interval_Max")
        kind = try reader.choice(Kind.self, "Advertising_Type", allowed: "0 to 4")
        ownAddress = try reader.choice(OwnAddress.self, "Own_Address_Type", allowed: "0 to 3")
        peer = try reader.address("Peer_Address")
        channelMap = try reader.uint8("Advertising_Channel_Map")
        filterPolicy = try reader.uint8("Advertising_Filter_Policy")
    }

    /// Appends 15 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(minimumInterval)
        octets.append(maximumInterval)
        octets += [kind.rawValue, ownAddress.rawValue]
        octets.append(peer)
        octets += [channelMap, filterPolicy]
    }
}

/// HCI_LE_Set_Scan_Parameters: Core 6.0, Vol 4, Part E, section 7.8.10.
///
/// | Octets | Field                   | Meaning                                                 |
/// |--------|-------------------------|---------------------------------------------------------|
/// | 1      | LE_Scan_Type            | 0 passive, 1 active                                     |
/// | 2      | LE_Scan_Interval        | 0.625 ms; 0x0004 to 0x4000                              |
/// | 2      | LE_Scan_Window          | 0.625 ms; 0x0004 to the interval                        |
/// | 1      | Own_Address_Type        | see `OwnAddress`                                        |
/// | 1      | Scanning_Filter_Policy  | bit 0: the accept list only                             |
public struct ScanParameters: Parameters {
    /// Whether the scanner requests scan responses.
    public var isActive: Bool
    /// From the start of one window to the start of the next, in units of 0.625 ms.
    public var interval: UInt16
    /// The duration of a window, in units of 0.625 ms.
    public var window: UInt16
    /// The address of scan requests.
    public var ownAddress: OwnAddress
    /// 0: every advertiser; 1: only those in the accept list.
    public var filterPolicy: UInt8

    /// By default of every advertiser.
    public init(
        isActive: Bool, interval: UInt16, window: UInt16, ownAddress: OwnAddress = .public, filterPolicy: UInt8 = 0
    ) {
        (self.isActive, self.interval, self.window) = (isActive, interval, window)
        (self.ownAddress, self.filterPolicy) = (ownAddress, filterPolicy)
    }

    /// Reads 7 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        isActive = try reader.flag("LE_Scan_Type")
        interval = try reader.uint16("LE_Scan_Interval")
        window = try reader.uint16("LE_Scan_Window")
        ownAddress = try reader.choice(OwnAddress.self, "Own_Address_Type", allowed: "0 to 3")
        filterPolicy = try reader.uint8("Scanning_Filter_Policy")
    }

    /// Appends 7 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(isActive)
        octets.append(interval)
        octets.append(window)
        octets += [ownAddress.rawValue, filterPolicy]
    }
}

/// HCI_LE_Create_Connection: Core 6.0, Vol 4, Part E, section 7.8.12.
///
/// | Octets | Field                   | Meaning                                          |
/// |--------|-------------------------|--------------------------------------------------|
/// | 2 + 2  | LE_Scan_Interval/Window | 0.625 ms; 0x0004 to 0x4000                       |
/// | 1      | Initiator_Filter_Policy | 1: any peer in the accept list                   |
/// | 1 + 6  | Peer_Address            |                                                  |
/// | 1      | Own_Address_Type        | see `OwnAddress`                                 |
/// | 8      | Connection parameters   | see `ConnectionParameters`                       |
/// | 2 + 2  | CE_Length               | minimum and maximum, 0.625 ms; a hint            |
public struct ConnectionCreation: Parameters {
    /// From the start of one window to the start of the next, in units of 0.625 ms.
    public var scanInterval: UInt16
    /// The duration of a window, in units of 0.625 ms.
    public var scanWindow: UInt16
    /// Whether to connect to any peer in the accept list; `peer` is then ignored.
    public var usesAcceptList: Bool
    /// The peer to connect to.
    public var peer: DeviceAddress
    /// The address to use.
    public var ownAddress: OwnAddress
    /// The parameters of the connection.
    public var parameters: ConnectionParameters
    /// A hint, in units of 0.625 ms.
    public var minimumEventLength: UInt16
    /// A hint, in units of 0.625 ms.
    public var maximumEventLength: UInt16

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

    /// Reads 25 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        scanInterval = try reader.uint16("LE_Scan_Interval")
        scanWindow = try reader.uint16("LE_Scan_Window")
        usesAcceptList = try reader.flag("Initiator_Filter_Policy")
        peer = try reader.address("Peer_Address")
        ownAddress = try reader.choice(OwnAddress.self, "Own_Address_Type", allowed: "0 to 3")
        parameters = try ConnectionParameters(from: &reader)
        minimumEventLength = try reader.uint16("Min_CE_Length")
        maximumEventLength = try reader.uint16("Max_CE_Length")
    }

    /// Appends 25 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(scanInterval)
        octets.append(scanWindow)
        octets.append(usesAcceptList)
        octets.append(peer)
        octets.append(ownAddress.rawValue)
        octets += parameters.octets
        octets.append(minimumEventLength)
        octets.append(maximumEventLength)
    }
}

/// New parameters of a connection, which a host requests (HCI_LE_Connection_Update) or accepts
/// (HCI_LE_Remote_Connection_Parameter_Request_Reply): Core 6.0, Vol 4, Part E, sections 7.8.18 and 7.8.31.
///
/// Connection_Handle (2 octets), `ConnectionParameters` (8), CE_Length (2 + 2).
public struct ConnectionUpdate: Parameters {
    /// The connection.
    public var handle: UInt16
    /// The parameters of the connection.
    public var parameters: ConnectionParameters
    /// A hint, in units of 0.625 ms.
    public var minimumEventLength: UInt16
    /// A hint, in units of 0.625 ms.
    public var maximumEventLength: UInt16

    /// By default without a hint.
    public init(
        handle: UInt16, parameters: ConnectionParameters, minimumEventLength: UInt16 = 0,
        maximumEventLength: UInt16 = 0
    ) {
        (self.handle, self.parameters) = (handle, parameters)
        (self.minimumEventLength, self.maximumEventLength) = (minimumEventLength, maximumEventLength)
    }

    /// Reads 14 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        handle = try reader.handle()
        parameters = try ConnectionParameters(from: &reader)
        minimumEventLength = try reader.uint16("Min_CE_Length")
        maximumEventLength = try reader.uint16("Max_CE_Length")
    }

    /// Appends 14 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(handle)
        octets += parameters.octets
        octets.append(minimumEventLength)
        octets.append(maximumEventLength)
    }
}

/// The packets of a connection that have been sent or flushed.  HCI_Number_Of_Completed_Packets (Core 6.0, Vol 4, Part
/// E, section 7.7.19) and HCI_Host_Number_Of_Completed_Packets (section 7.3.40) are lists of these.
public struct CompletedPackets: Parameters {
    /// The connection.
    public var handle: UInt16
    /// The number of packets since the last such event or command.
    public var count: UInt16

    /// `count` packets of one connection.
    public init(handle: UInt16, count: UInt16) { (self.handle, self.count) = (handle, count) }

    /// Reads 4 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        handle = try reader.handle()
        count = try reader.uint16("Num_Completed_Packets")
    }

    /// Appends 4 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(handle)
        octets.append(count)
    }
}
