package import Basics
package import Bluetooth
package import HCI
package import L2CAP

/// What the HCI packets between a host and its controller show: links and the frames on them, and whom the host advertises to,
/// scans for and calls.
///
/// A command counts when the host sends it; `refused` follows if the controller does not carry it out.  Scanning, calling and
/// advertising are known of legacy commands only.
package struct LinkFollower: Sendable {
    /// A connection.
    package struct Link: Sendable {
        /// Its number at its controller.
        package let handle: UInt16
        /// What its first event states; nil if that came before the packets.
        package let complete: ConnectionComplete?
        package let begin: Instant
        package fileprivate(set) var timing: ConnectionTiming?
        package fileprivate(set) var isEncrypted = false
        /// Nil while it lasts.
        package fileprivate(set) var end: (at: Instant, reason: HCIStatus)?

        package var peer: DeviceAddress? { complete?.peer }
    }

    /// What a packet changes.
    package enum Change: Sendable {
        /// The controller begins anew: these links end without an event.
        case reset([Link])
        case setAddress(DeviceAddress)
        case setAdvertisingData([UInt8])
        case setScanResponse([UInt8])
        case advertises(Bool)
        case scans(Bool)
        /// The host requests a connection to one of these peers.
        case calls([DeviceAddress])
        /// There will be none.
        case gaveUp
        case received([AdvertisingReport])
        /// A link has begun; another with its handle has ended without an event.
        case connected(Link, replacing: Link?)
        case updated(Link)
        case encrypted(Link)
        case disconnected(Link)
        /// The controller does not carry out a command.
        case refused(Opcode)
    }

    /// A connection and its incomplete frames.
    private struct Followed: Sendable {
        var link: Link
        var sent = Reassembler()
        var received = Reassembler()

        mutating func reset(pool: inout PacketPool) {
            sent.reset(pool: &pool)
            received.reset(pool: &pool)
        }
    }

    /// More than a controller has.  The first is forgotten for a new one.
    static let maximumLinks = 256
    private static let maximumPeers = 1024

    private var followed: [Followed] = []
    /// The address that `OwnAddress.random` means.
    package private(set) var randomAddress: DeviceAddress?
    package private(set) var advertisingParameters: AdvertisingParameters?
    package private(set) var isScanning = false
    /// The peers to one of which the host requests a connection.
    package private(set) var called: [DeviceAddress] = []
    /// Whether an identity address means the private addresses of the peer, too.
    package private(set) var resolvesAddresses = false
    private var acceptList: [DeviceAddress] = []
    private var reports = ReportAssembler()

    /// A follower from before the first packet.
    package init() {}

    /// The connections that last.
    package var links: [Link] { followed.map(\.link) }

    /// The connection with this number; nil if there is none.
    package func link(_ handle: UInt16) -> Link? { place(of: handle).map { followed[$0].link } }

    /// Forgets everything.
    package mutating func reset(pool: inout PacketPool) {
        for place in followed.indices { followed[place].reset(pool: &pool) }
        self = LinkFollower()
    }

    // MARK: Commands and events

    /// Takes a command or an event; nil if it changes nothing, or cannot be read.
    package mutating func take(
        _ kind: PacketKind, _ octets: [UInt8], at now: Instant, pool: inout PacketPool
    ) -> Change? {
        do throws(Malformed) {
            return switch kind {
            case .command: try take(Command(octets: octets), pool: &pool)
            case .event: try take(Event(octets: octets), at: now, pool: &pool)
            case .acl, .synchronous, .isochronous: nil
            }
        } catch { return nil }
    }

    private mutating func take(_ command: Command, pool: inout PacketPool) throws(Malformed) -> Change? {
        switch command {
        case Command.reset:
            let links = links
            reset(pool: &pool)
            return .reset(links)
        case Command.leSetRandomAddress:
            let address = try Command.leSetRandomAddress.parameters(of: command)
            randomAddress = address
            return .setAddress(address)
        case Command.leSetAdvertisingParameters:
            advertisingParameters = try Command.leSetAdvertisingParameters.parameters(of: command)
        case Command.leSetAdvertisingData:
            return .setAdvertisingData(try Command.leSetAdvertisingData.parameters(of: command))
        case Command.leSetScanResponseData:
            return .setScanResponse(try Command.leSetScanResponseData.parameters(of: command))
        case Command.leSetAdvertisingEnable:
            return .advertises(try Command.leSetAdvertisingEnable.parameters(of: command))
        case Command.leSetScanEnable:
            (isScanning, _) = try Command.leSetScanEnable.parameters(of: command)
            return .scans(isScanning)
        case Command.leCreateConnection:
            let creation = try Command.leCreateConnection.parameters(of: command)
            called = creation.usesAcceptList ? acceptList : [creation.peer]
            return .calls(called)
        case Command.leClearFilterAcceptList: acceptList = []
        case Command.leAddDeviceToFilterAcceptList:
            let peer = try Command.leAddDeviceToFilterAcceptList.parameters(of: command)
            if acceptList.count < Self.maximumPeers { acceptList.append(peer) }
        case Command.leRemoveDeviceFromFilterAcceptList:
            let peer = try Command.leRemoveDeviceFromFilterAcceptList.parameters(of: command)
            acceptList.removeAll { $0 == peer }
        case Command.leSetAddressResolutionEnable:
            resolvesAddresses = try Command.leSetAddressResolutionEnable.parameters(of: command)
        default: break
        }
        return nil
    }

    private mutating func take(
        _ event: Event, at now: Instant, pool: inout PacketPool
    ) throws(Malformed) -> Change? {
        switch event {
        case Event.leAdvertisingReport: return .received(try Event.leAdvertisingReport.parameters(of: event))
        case Event.leExtendedAdvertisingReport:
            let parts = try Event.leExtendedAdvertisingReport.parameters(of: event)
            return .received(parts.compactMap { reports.receive($0) })
        case Event.leConnectionComplete:
            let (status, complete) = try Event.leConnectionComplete.parameters(of: event)
            return begin(status, complete, at: now, pool: &pool)
        case Event.leEnhancedConnectionComplete:
            let (status, complete) = try Event.leEnhancedConnectionComplete.parameters(of: event)
            return begin(status, complete.connection, at: now, pool: &pool)
        case Event.leConnectionUpdateComplete:
            let (status, handle, timing) = try Event.leConnectionUpdateComplete.parameters(of: event)
            guard status == .success, let place = place(of: handle) else { return nil }
            followed[place].link.timing = timing
            return .updated(followed[place].link)
        case Event.encryptionChange:
            let (status, handle, state) = try Event.encryptionChange.parameters(of: event)
            guard status == .success, let place = place(of: handle) else { return nil }
            followed[place].link.isEncrypted = state != 0
            return .encrypted(followed[place].link)
        case Event.disconnectionComplete:
            let (_, handle, reason) = try Event.disconnectionComplete.parameters(of: event)
            guard var link = remove(handle, pool: &pool) else { return nil }
            link.end = (now, reason)
            return .disconnected(link)
        case Event.commandComplete:
            let (_, opcode, returned) = try Event.commandComplete.parameters(of: event)
            return returned.first ?? 0 == 0 ? nil : .refused(opcode)
        case Event.commandStatus:
            let (status, _, opcode) = try Event.commandStatus.parameters(of: event)
            return status == .success ? nil : .refused(opcode)
        default: return nil
        }
    }

    private mutating func begin(
        _ status: HCIStatus, _ complete: ConnectionComplete, at now: Instant, pool: inout PacketPool
    ) -> Change {
        called = []
        guard status == .success else { return .gaveUp }
        let replaced = remove(complete.handle, pool: &pool)
        let link = Link(handle: complete.handle, complete: complete, begin: now, timing: complete.timing)
        _ = add(link, pool: &pool)
        return .connected(link, replacing: replaced)
    }

    private func place(of handle: UInt16) -> Int? { followed.firstIndex { $0.link.handle == handle } }

    /// Returns its place.
    private mutating func add(_ link: Link, pool: inout PacketPool) -> Int {
        if followed.count == Self.maximumLinks {
            followed[0].reset(pool: &pool)
            followed.removeFirst()
        }
        followed.append(Followed(link: link))
        return followed.count - 1
    }

    private mutating func remove(_ handle: UInt16, pool: inout PacketPool) -> Link? {
        guard let place = place(of: handle) else { return nil }
        followed[place].reset(pool: &pool)
        return followed.remove(at: place).link
    }

    // MARK: Data

    /// Reads an ACL data packet: the frame that it completes, which the caller releases.  Does not allocate.
    ///
    /// With an `opcode`, only frames of known links that begin with this octet are recombined.
    package mutating func frame(
        of packet: Packet, isFromHost: Bool, only opcode: UInt8? = nil, at now: Instant, pool: inout PacketPool
    ) -> (handle: UInt16, channel: Channel, payload: Packet)? {
        var fragment = packet
        guard let header = try? pool.takeACLHeader(off: &fragment) else { return nil }
        let begins = header.boundary != .continuing
        let known = place(of: header.handle)
        guard known != nil || opcode == nil else { return nil }
        let place = known ?? add(Link(handle: header.handle, complete: nil, begin: now), pool: &pool)
        // The payload follows L2CAP's header.
        if begins, let opcode, let first = pool.uint8(at: 4, of: fragment), first != opcode {
            if isFromHost {
                followed[place].sent.reset(pool: &pool)
            } else {
                followed[place].received.reset(pool: &pool)
            }
            return nil
        }
        let copy = pool.copy(fragment)
        let outcome =
            isFromHost
            ? followed[place].sent.receive(copy, begins: begins, pool: &pool)
            : followed[place].received.receive(copy, begins: begins, pool: &pool)
        guard case .frame(let channel, let payload) = outcome else { return nil }
        return (header.handle, channel, payload)
    }
}
