public import Bluetooth
public import Octets

/// The current parameters of a connection.
public struct ConnectionTiming: Parameters {
    /// Between connection events, in units of 1.25 ms.
    public var interval: UInt16
    /// The number of consecutive connection events that the peripheral may skip.
    public var latency: UInt16
    /// The time without a packet after which the connection is lost, in units of 10 ms.
    public var supervisionTimeout: UInt16

    /// As given.
    public init(interval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
        (self.interval, self.latency, self.supervisionTimeout) = (interval, latency, supervisionTimeout)
    }

    /// Reads 6 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        interval = try reader.uint16("Connection_Interval")
        latency = try reader.uint16("Peripheral_Latency")
        supervisionTimeout = try reader.uint16("Supervision_Timeout")
    }

    /// Appends 6 octets.
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
public struct ConnectionComplete: Parameters {
    /// The roles in a connection.
    public enum Role: UInt8, Sendable {
        /// Initiated the connection, and sets its timing.
        case central
        /// Advertised.
        case peripheral
    }

    /// Identifies the connection in HCI while it exists.
    public var handle: UInt16
    /// The role of this side.
    public var role: Role
    /// The address of the other side.
    public var peer: DeviceAddress
    /// Interval, latency and timeout.
    public var timing: ConnectionTiming
    /// The accuracy of the central's clock: 0 (500 ppm) to 7 (20 ppm).
    public var clockAccuracy: UInt8

    /// As given.
    public init(handle: UInt16, role: Role, peer: DeviceAddress, timing: ConnectionTiming, clockAccuracy: UInt8 = 0) {
        (self.handle, self.role, self.peer) = (handle, role, peer)
        (self.timing, self.clockAccuracy) = (timing, clockAccuracy)
    }

    /// Reads 18 octets.
    public init(from reader: inout OctetReader) throws(Malformed) { self = try Self.read(&reader) { _ in } }

    /// Appends 18 octets.
    public func append(to octets: inout [UInt8]) { append(to: &octets, afterPeer: []) }

    /// Reads 18 octets, and between the peer's address and the timing what `afterPeer` takes.
    fileprivate static func read(
        _ reader: inout OctetReader, afterPeer: (inout OctetReader) throws(Malformed) -> Void
    ) throws(Malformed) -> ConnectionComplete {
        let handle = try reader.handle()
        let role = try reader.choice(Role.self, "Role", allowed: "0 or 1")
        let peer = try reader.address("Peer_Address")
        try afterPeer(&reader)
        return ConnectionComplete(
            handle: handle, role: role, peer: peer, timing: try ConnectionTiming(from: &reader),
            clockAccuracy: try reader.uint8("Central_Clock_Accuracy"))
    }

    fileprivate func append(to octets: inout [UInt8], afterPeer: [UInt8]) {
        octets.append(handle)
        octets.append(role.rawValue)
        octets.append(peer)
        octets += afterPeer
        timing.append(to: &octets)
        octets.append(clockAccuracy)
    }
}

/// A new connection, and the resolvable private addresses that the two sides use: HCI_LE_Enhanced_Connection_Complete
/// without its status, section 7.7.65.10.
public struct EnhancedConnectionComplete: Parameters {
    /// The connection.
    public var connection: ConnectionComplete
    /// This side's address; all zeros: none.
    public var localPrivateAddress: DeviceAddress
    /// The peer's address; all zeros: none.
    public var peerPrivateAddress: DeviceAddress

    /// By default without private addresses.
    public init(
        _ connection: ConnectionComplete, localPrivateAddress: DeviceAddress = DeviceAddress(0, .random),
        peerPrivateAddress: DeviceAddress = DeviceAddress(0, .random)
    ) {
        self.connection = connection
        (self.localPrivateAddress, self.peerPrivateAddress) = (localPrivateAddress, peerPrivateAddress)
    }

    /// Reads 30 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        var local = DeviceAddress(0, .random)
        var peer = local
        connection = try ConnectionComplete.read(&reader) { reader throws(Malformed) in
            local = try DeviceAddress(kind: .random, from: &reader, "Local_Resolvable_Private_Address")
            peer = try DeviceAddress(kind: .random, from: &reader, "Peer_Resolvable_Private_Address")
        }
        (localPrivateAddress, peerPrivateAddress) = (local, peer)
    }

    /// Appends 30 octets.
    public func append(to octets: inout [UInt8]) {
        connection.append(to: &octets, afterPeer: localPrivateAddress.octets + peerPrivateAddress.octets)
    }
}

/// One packet of an advertiser: a report of HCI_LE_Advertising_Report, section 7.7.65.2.
///
/// | Octets | Field       | Meaning                                   |
/// |--------|-------------|-------------------------------------------|
/// | 1      | Event_Type  | see `Kind`                                |
/// | 1 + 6  | Address     | the advertiser                            |
/// | 1      | Data_Length | 0 to 31                                   |
/// | 0–31   | Data        | as it was sent                            |
/// | 1      | RSSI        | dBm, −127 to 20; 127: unknown             |
public struct AdvertisingReport: Parameters {
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
    public var kind: Kind
    /// The advertiser.
    public var address: DeviceAddress
    /// As it was sent: 31 octets at most in this event.
    public var data: [UInt8]
    /// The signal strength, in dBm; 127: unknown.
    public var rssi: Int8

    /// As given.
    public init(kind: Kind, address: DeviceAddress, data: [UInt8], rssi: Int8) {
        (self.kind, self.address, self.data, self.rssi) = (kind, address, data, rssi)
    }

    /// Reads 10 octets and the data.
    public init(from reader: inout OctetReader) throws(Malformed) {
        kind = try reader.choice(Kind.self, "Event_Type", allowed: "0 to 4")
        address = try reader.address("Address")
        data = try reader.counted("Data", maximum: 31)
        rssi = try reader.sint8("RSSI")
    }

    /// Appends 10 octets and the first 31 of the data.
    public func append(to octets: inout [UInt8]) {
        let data = self.data.prefix(31)
        octets.append(kind.rawValue)
        octets.append(address)
        octets.append(UInt8(clamping: data.count))
        octets += data
        octets.append(UInt8(bitPattern: rssi))
    }
}
