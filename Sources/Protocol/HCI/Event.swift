public import Bluetooth
public import Octets

/// What a controller tells its host.  Core 6.0, Vol 4, Part E, section 7.7; layout in section 5.4.4:
///
/// | Octets | Field                  | Meaning                                                 |
/// |--------|------------------------|---------------------------------------------------------|
/// | 1      | Event_Code             | 0x3E for all of LE's, which begin with a Subevent_Code  |
/// | 1      | Parameter_Total_Length | of what follows                                         |
/// | 0–255  | Parameters             | see the cases                                           |
public enum Event: Hashable, Sendable {
    /// Section 7.7.5: a connection is over, or could not be ended.
    case disconnectionComplete(HCIStatus, handle: UInt16, reason: HCIStatus)
    /// Section 7.7.8: a link is encrypted from now on (1, or 2), or not (0).
    case encryptionChange(HCIStatus, handle: UInt16, enabled: UInt8)
    /// Section 7.7.12: the peer's version.
    case readRemoteVersionInformationComplete(HCIStatus, handle: UInt16, RemoteVersion)
    /// Section 7.7.14: a command is done; the first of the return parameters is nearly always a status.
    /// `allowed` is how many more commands the host may send.
    case commandComplete(allowed: UInt8, Opcode, returned: [UInt8])
    /// Section 7.7.15: a command is refused, or has begun and another event will tell of its end.
    case commandStatus(HCIStatus, allowed: UInt8, Opcode)
    /// Section 7.7.16: the controller broke.
    case hardwareError(UInt8)
    /// Section 7.7.19: the controller has room again.
    case numberOfCompletedPackets([CompletedPackets])
    /// Section 7.7.26: the host has sent more than the controller holds; type 1: ACL data.
    case dataBufferOverflow(linkType: UInt8)
    /// Section 7.7.39: a link has another key from now on.
    case encryptionKeyRefreshComplete(HCIStatus, handle: UInt16)
    /// Section 7.7.65.1: there is a connection, or there will be none.
    case leConnectionComplete(HCIStatus, ConnectionComplete)
    /// Section 7.7.65.2: advertising was heard.
    case leAdvertisingReport([AdvertisingReport])
    /// Section 7.7.65.3: the two sides meet in another rhythm.
    case leConnectionUpdateComplete(HCIStatus, handle: UInt16, ConnectionTiming)
    /// Section 7.7.65.4: the peer's features.
    case leReadRemoteFeaturesComplete(HCIStatus, handle: UInt16, LEFeatures)
    /// Section 7.7.65.5: the central wants to encrypt with the key that these two name.
    case leLongTermKeyRequest(handle: UInt16, random: UInt64, diversifier: UInt16)
    /// Section 7.7.65.6: the peer wants other connection parameters.
    case leRemoteConnectionParameterRequest(handle: UInt16, ConnectionParameters)
    /// Section 7.7.65.7: data PDUs have other limits.
    case leDataLengthChange(handle: UInt16, sending: DataLength, receiving: DataLength)
    /// Section 7.7.65.10: as `leConnectionComplete`, with the private addresses that the two sides use:
    /// six octets each, zeros for none.
    case leEnhancedConnectionComplete(HCIStatus, ConnectionComplete, localPrivate: UInt64, peerPrivate: UInt64)
    /// Section 7.7.65.12: other PHYs; 1: 1 Msymbol/s, 2: 2 Msymbol/s, 3: coded.
    case lePHYUpdateComplete(HCIStatus, handle: UInt16, sending: UInt8, receiving: UInt8)
    /// Section 7.7.65.13: advertising was heard, by a scanner of `leSetExtendedScanEnable`.
    case leExtendedAdvertisingReport([ExtendedAdvertisingReport])
    /// Section 7.7.65.18: a set advertises no more, since there is a connection (success), or its time is over.
    case leAdvertisingSetTerminated(HCIStatus, AdvertisingSetTermination)
    /// Section 7.7.65.20: which algorithm chooses the channels: 0 for the first, 1 for the second.
    case leChannelSelectionAlgorithm(handle: UInt16, UInt8)
    /// An event that is not in this table, with its parameters; for one of LE's they begin with the subevent.
    case unknown(code: UInt8, [UInt8])
}

/// A peer's Link Layer: HCI_Read_Remote_Version_Information_Complete, section 7.7.12.
public struct RemoteVersion: Parameters {
    /// Of the Core Specification; 0x0E is 6.0.
    public var version: UInt8
    /// Who made it: an assigned number.
    public var company: UInt16
    /// The maker's own number.
    public var subversion: UInt16

    /// As given.
    public init(version: UInt8, company: UInt16, subversion: UInt16) {
        (self.version, self.company, self.subversion) = (version, company, subversion)
    }

    /// Takes 5 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        version = try reader.uint8("Version")
        company = try reader.uint16("Company_Identifier")
        subversion = try reader.uint16("Subversion")
    }

    /// Adds 5 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(version)
        octets.append(company)
        octets.append(subversion)
    }
}

/// How often the two sides of a connection meet, as agreed.
public struct ConnectionTiming: Parameters {
    /// Between connection events, in units of 1.25 ms.
    public var interval: UInt16
    /// How many connection events in a row the peripheral may miss.
    public var latency: UInt16
    /// The silence after which the connection is lost, in units of 10 ms.
    public var supervisionTimeout: UInt16

    /// As given.
    public init(interval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
        (self.interval, self.latency, self.supervisionTimeout) = (interval, latency, supervisionTimeout)
    }

    /// Takes 6 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        interval = try reader.uint16("Connection_Interval")
        latency = try reader.uint16("Peripheral_Latency")
        supervisionTimeout = try reader.uint16("Supervision_Timeout")
    }

    /// Adds 6 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(interval)
        octets.append(latency)
        octets.append(supervisionTimeout)
    }
}

/// A new connection: HCI_LE_Connection_Complete without its status, section 7.7.65.1.
///
/// | Octets | Field                  | Meaning                  |
/// |--------|------------------------|--------------------------|
/// | 2      | Connection_Handle      | 0x0000 to 0x0EFF         |
/// | 1      | Role                   | 0 central, 1 peripheral  |
/// | 1 + 6  | Peer_Address           |                          |
/// | 6      | see `ConnectionTiming` |                          |
/// | 1      | Central_Clock_Accuracy | 0 (500 ppm) to 7 (20 ppm)|
public struct ConnectionComplete: Hashable, Sendable {
    /// Who advertised, and who answered.
    public enum Role: UInt8, Sendable {
        /// Asked for the connection, and sets its rhythm.
        case central
        /// Advertised.
        case peripheral
    }

    /// What names the connection in HCI while it lasts.
    public var handle: UInt16
    /// What this side is.
    public var role: Role
    /// The other side.
    public var peer: DeviceAddress
    /// How often the two meet.
    public var timing: ConnectionTiming
    /// How exact the central's clock is: 0 (500 ppm) to 7 (20 ppm).
    public var clockAccuracy: UInt8

    /// As given.
    public init(handle: UInt16, role: Role, peer: DeviceAddress, timing: ConnectionTiming, clockAccuracy: UInt8 = 0) {
        (self.handle, self.role, self.peer) = (handle, role, peer)
        (self.timing, self.clockAccuracy) = (timing, clockAccuracy)
    }
}

/// What was heard of an advertiser: one report of HCI_LE_Advertising_Report, section 7.7.65.2.
///
/// | Octets | Field       | Meaning                                   |
/// |--------|-------------|-------------------------------------------|
/// | 1      | Event_Type  | see `Kind`                                |
/// | 1 + 6  | Address     | the advertiser                            |
/// | 1      | Data_Length | 0 to 31                                   |
/// | 0–31   | Data        | as it was sent                            |
/// | 1      | RSSI        | dBm, −127 to 20; 127: not known           |
public struct AdvertisingReport: Parameters {
    /// What was sent.
    public enum Kind: UInt8, Sendable {
        /// ADV_IND: anyone may scan or connect.
        case undirected
        /// ADV_DIRECT_IND: one central may connect.
        case directed
        /// SCAN_IND: anyone may scan.
        case scannable
        /// ADV_NONCONN_IND: nobody may answer.
        case nonConnectable
        /// SCAN_RSP: the answer to a scan request.
        case scanResponse
    }

    /// What was sent.
    public var kind: Kind
    /// By whom.
    public var address: DeviceAddress
    /// As it was sent: 31 octets at most in this event.
    public var data: [UInt8]
    /// How strong, in dBm; 127: not known.
    public var rssi: Int8

    /// As given.
    public init(kind: Kind, address: DeviceAddress, data: [UInt8], rssi: Int8) {
        (self.kind, self.address, self.data, self.rssi) = (kind, address, data, rssi)
    }

    /// Takes 10 octets and the data.
    public init(from reader: inout OctetReader) throws(Malformed) {
        kind = try reader.choice(Kind.self, "Event_Type", allowed: "0 to 4")
        address = try reader.address("Address")
        data = try reader.counted("Data", most: 31)
        rssi = try reader.sint8("RSSI")
    }

    /// Adds 10 octets and the first 31 of the data.
    public func append(to octets: inout [UInt8]) {
        let data = self.data.prefix(31)
        octets.append(kind.rawValue)
        octets.append(address)
        octets.append(UInt8(clamping: data.count))
        octets += data
        octets.append(UInt8(bitPattern: rssi))
    }
}
