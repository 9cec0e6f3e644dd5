public import Bluetooth
public import Octets

/// The addresses that advertising, scanning and connecting can be done with: `Own_Address_Type`.
public enum OwnAddress: UInt8, Sendable {
    /// The controller's own public address.
    case `public`
    /// The random address that the host set.
    case random
    /// A private address that the controller makes, or the public one.
    case resolvableOrPublic
    /// A private address that the controller makes, or the random one.
    case resolvableOrRandom
}

/// HCI_LE_Set_Advertising_Parameters: Core 6.0, Vol 4, Part E, section 7.8.5.
///
/// | Octets | Field                    | Meaning                                            |
/// |--------|--------------------------|----------------------------------------------------|
/// | 2 + 2  | Advertising_Interval     | minimum and maximum, 0.625 ms; 0x0020 to 0x4000    |
/// | 1      | Advertising_Type         | see `Kind`                                         |
/// | 1      | Own_Address_Type         | see `OwnAddress`                                   |
/// | 1 + 6  | Peer_Address             | whom directed advertising is for                   |
/// | 1      | Advertising_Channel_Map  | bits 0 to 2: channels 37 to 39                     |
/// | 1      | Advertising_Filter_Policy| bit 0: scan requests, bit 1: connection requests of the accept list only |
public struct AdvertisingParameters: Parameters {
    /// What is sent, and what may be answered to it: `Advertising_Type`.
    public enum Kind: UInt8, Sendable {
        /// ADV_IND: anyone may scan or connect.
        case undirected
        /// ADV_DIRECT_IND, without pause for at most 1.28 s.
        case directedHighDuty
        /// SCAN_IND: anyone may scan, nobody connect.
        case scannable
        /// ADV_NONCONN_IND: nobody may answer.
        case nonConnectable
        /// ADV_DIRECT_IND at the interval.
        case directedLowDuty
    }

    /// The shortest time between advertising events, in units of 0.625 ms.
    public var minimumInterval: UInt16
    /// The longest, in units of 0.625 ms.
    public var maximumInterval: UInt16
    /// What is sent.
    public var kind: Kind
    /// Under which address.
    public var ownAddress: OwnAddress
    /// For whom, when directed.
    public var peer: DeviceAddress
    /// Bits 0 to 2: channels 37 to 39.
    public var channelMap: UInt8
    /// 0 to 3: bit 0 for scan requests, bit 1 for connection requests; 1 admits the accept list only.
    public var filterPolicy: UInt8

    /// By default undirected, for everyone, on all channels.
    public init(
        minimumInterval: UInt16, maximumInterval: UInt16, kind: Kind = .undirected, ownAddress: OwnAddress = .public,
        peer: DeviceAddress = DeviceAddress(0, .public), channelMap: UInt8 = 0b111, filterPolicy: UInt8 = 0
    ) {
        (self.minimumInterval, self.maximumInterval, self.kind) = (minimumInterval, maximumInterval, kind)
        (self.ownAddress, self.peer) = (ownAddress, peer)
        (self.channelMap, self.filterPolicy) = (channelMap, filterPolicy)
    }

    /// Takes 15 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        minimumInterval = try reader.uint16("Advertising_Interval_Min")
        maximumInterval = try reader.uint16("Advertising_Interval_Max")
        kind = try reader.choice(Kind.self, "Advertising_Type", allowed: "0 to 4")
        ownAddress = try reader.choice(OwnAddress.self, "Own_Address_Type", allowed: "0 to 3")
        peer = try reader.address("Peer_Address")
        channelMap = try reader.uint8("Advertising_Channel_Map")
        filterPolicy = try reader.uint8("Advertising_Filter_Policy")
    }

    /// Adds 15 octets.
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
    /// Whether scan responses are asked for.
    public var isActive: Bool
    /// From the beginning of one window to that of the next, in units of 0.625 ms.
    public var interval: UInt16
    /// How long is listened, in units of 0.625 ms.
    public var window: UInt16
    /// Under which address scan responses are asked for.
    public var ownAddress: OwnAddress
    /// 0: everyone's packets; 1: those of the accept list.
    public var filterPolicy: UInt8

    /// By default for everyone's packets.
    public init(
        isActive: Bool, interval: UInt16, window: UInt16, ownAddress: OwnAddress = .public, filterPolicy: UInt8 = 0
    ) {
        (self.isActive, self.interval, self.window) = (isActive, interval, window)
        (self.ownAddress, self.filterPolicy) = (ownAddress, filterPolicy)
    }

    /// Takes 7 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        isActive = try reader.flag("LE_Scan_Type")
        interval = try reader.uint16("LE_Scan_Interval")
        window = try reader.uint16("LE_Scan_Window")
        ownAddress = try reader.choice(OwnAddress.self, "Own_Address_Type", allowed: "0 to 3")
        filterPolicy = try reader.uint8("Scanning_Filter_Policy")
    }

    /// Adds 7 octets.
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
/// | 1      | Initiator_Filter_Policy | 1: whoever is in the accept list, and no peer    |
/// | 1 + 6  | Peer_Address            |                                                  |
/// | 1      | Own_Address_Type        | see `OwnAddress`                                 |
/// | 8      | Connection parameters   | see `ConnectionParameters`                       |
/// | 2 + 2  | CE_Length               | minimum and maximum, 0.625 ms; a hint            |
public struct ConnectionCreation: Parameters {
    /// From the beginning of one window to that of the next, in units of 0.625 ms.
    public var scanInterval: UInt16
    /// How long is listened, in units of 0.625 ms.
    public var scanWindow: UInt16
    /// Whether the accept list says with whom; then `peer` means nothing.
    public var usesAcceptList: Bool
    /// With whom.
    public var peer: DeviceAddress
    /// Under which address.
    public var ownAddress: OwnAddress
    /// How often to meet.
    public var parameters: ConnectionParameters
    /// A hint, in units of 0.625 ms.
    public var minimumEventLength: UInt16
    /// A hint, in units of 0.625 ms.
    public var maximumEventLength: UInt16

    /// By default listening all the time.
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

    /// Takes 25 octets.
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

    /// Adds 25 octets.
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

/// New parameters of a connection, by a host that asks for them (HCI_LE_Connection_Update) or agrees to them
/// (HCI_LE_Remote_Connection_Parameter_Request_Reply): Core 6.0, Vol 4, Part E, sections 7.8.18 and 7.8.31.
///
/// Connection_Handle (2 octets), `ConnectionParameters` (8), CE_Length (2 + 2).
public struct ConnectionUpdate: Parameters {
    /// Of which connection.
    public var handle: UInt16
    /// How often to meet.
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

    /// Takes 14 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        handle = try reader.handle()
        parameters = try ConnectionParameters(from: &reader)
        minimumEventLength = try reader.uint16("Min_CE_Length")
        maximumEventLength = try reader.uint16("Max_CE_Length")
    }

    /// Adds 14 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(handle)
        octets += parameters.octets
        octets.append(minimumEventLength)
        octets.append(maximumEventLength)
    }
}

/// How many packets of a connection are done with: HCI_Number_Of_Completed_Packets (Core 6.0, Vol 4, Part E,
/// section 7.7.19) and HCI_Host_Number_Of_Completed_Packets (section 7.3.40) have a list of these.
public struct CompletedPackets: Parameters {
    /// Of which connection.
    public var handle: UInt16
    /// Since the last such event or command.
    public var count: UInt16

    /// So many of that connection.
    public init(handle: UInt16, count: UInt16) { (self.handle, self.count) = (handle, count) }

    /// Takes 4 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        handle = try reader.handle()
        count = try reader.uint16("Num_Completed_Packets")
    }

    /// Adds 4 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(handle)
        octets.append(count)
    }
}
