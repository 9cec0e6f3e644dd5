public import Basics
public import Bluetooth
public import GATT
import HCI
import L2CAP
public import SecurityManager

/// A Bluetooth LE host above one controller: peripheral, central, or both, with any number of connections.
///
///     off ──start──▶ initializing ──▶ ready ──stop──▶ stopping ──▶ off
///
/// A controller can fail in every state; `start` and `stop` are possible in every state.
///
/// It uses HCI (Core 6.0, Vol 4, Part E), and on each connection L2CAP's fixed channels (Vol 3, Part A), a GATT server
/// and a GATT client, and the Security Manager (Part H).  On a controller with extended advertising it uses the
/// extended commands, else those of Bluetooth 4.  Total: nothing that a controller or a peer sends traps or hangs it.
///
/// The host owns the packets of its inputs.  The caller owns those in its outputs, and releases them: `PacketPool`.
public struct Host: Sendable {
    /// The maximum number of connections; a further one is disconnected at once.
    public static let maximumConnections = 64
    /// The maximum number of malformed packets that are reported after each start.
    public static let maximumMalformedReports = 16

    enum Phase: Sendable {
        case off
        case initializing(Initialization)
        case ready
        /// Until the controller has answered which connections it has lost.
        case stopping
        case failed
    }

    struct Advertisement: Sendable {
        var parameters: AdvertisingParameters
        var data: [UInt8]
        var scanResponse: [UInt8]
    }

    struct Scan: Sendable {
        var parameters: ScanParameters
        var filterDuplicates: Bool
    }

    struct AdvertisingState: Sendable {
        /// Nil: none.
        var wanted: Advertisement?
        var isOn = false
        var hasSet = false
        var power = PowerControl()
    }

    struct ScanningState: Sendable {
        /// Nil: none.
        var wanted: Scan?
        var isOn = false
        var reports = ReportAssembler()
        var malformedReports = 0
    }

    struct Connecting: Sendable {
        let peer: DeviceAddress
        var deadline: Instant
        /// The failure to report when the controller confirms the cancellation; nil: not cancelled.
        var cancelled: ConnectionFailure?
        /// A connection that was made nevertheless, and is being disconnected; the failure is reported after that.
        var unwanted: UInt16?
    }

    /// The attributes that every client sees.
    public internal(set) var table: AttributeTable
    var randomAddress: DeviceAddress?
    var privateAddresses = PrivateAddresses()
    var mtu: Int
    let preferred: ConnectionParameters?

    var phase = Phase.off
    var hasStarted = false  // ever
    var features: LEFeatures = []
    var family = CommandFamily.legacy
    var commands = CommandQueue()
    var sending = SendQueue(fragmentLength: 27, count: 0)
    var bufferWatch: BufferWatch?
    var connections: [Connection] = []
    var lastNumber: UInt32 = 0
    var hasNewDisconnection = false

    var advertising = AdvertisingState()
    var scanning = ScanningState()
    var connecting: Connecting?
    /// Connections from before a start that the controller has kept through the reset, and now ends.
    var kept: [FormerConnection] = []
    var faults = Faults()
    /// Whether the host itself disconnects a peer that has not answered a request; else its caller does.
    public var endsUnansweredLinks = true
    /// How the host pairs, and its bonds.
    public internal(set) var security: HostSecurity
    var publicAddress = DeviceAddress(0, .public)

    // Empty between steps; kept to reuse their storage.
    var serverOutbox: [Server.Output] = []
    var clientOutbox: [Client.Output] = []

    /// A host that has not started.
    ///
    /// - Parameters:
    ///   - table: The attributes that clients see.
    ///   - randomAddress: The static random address to use; nil: the controller's public address.
    ///   - mtu: The largest ATT PDU that the host receives, in octets: 23 to 517.
    ///   - preferred: The parameters that the host requests as a peripheral, once in a connection that has others.
    ///   - security: How the host pairs, and its bonds; by default it rejects pairing.
    public init(
        table: AttributeTable, randomAddress: DeviceAddress? = nil, receives mtu: Int = 247,
        preferring preferred: ConnectionParameters? = nil, security: HostSecurity = .none
    ) {
        (self.table, self.randomAddress, self.mtu, self.preferred) = (table, randomAddress, mtu, preferred)
        self.security = security
    }

    /// Handles one input, and appends the outputs to `outbox` in order.
    public mutating func step(
        _ input: Input, values: inout some AttributeValues, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        switch input {
        case .received(.acl, let packet): receiveACL(packet, values: &values, at: now, pool: &pool, into: &outbox)
        case .received(.event, let packet): receiveEvent(packet, at: now, pool: &pool, into: &outbox)
        case .received(_, let packet): pool.release(packet)
        case .timePassed:
            timePassed(at: now, pool: &pool, into: &outbox)
            respondLate(pool: &pool, into: &outbox)
            if faults.stall == .over { answerHeld(values: &values, at: now, pool: &pool, into: &outbox) }
            if privateAddresses.due <= now { rotateAddress(at: now, into: &outbox) }
        case .command(.answer(let id, let result)):
            answer(id, result, values: &values, at: now, pool: &pool, into: &outbox)
        case .command(let command): perform(command, at: now, pool: &pool, into: &outbox)
        case .fault(let fault): inject(fault, at: now, pool: &pool, into: &outbox)
        }
        flush(at: now, pool: &pool, into: &outbox)
    }

    /// Notifies every subscriber of a value, or indicates it to those that have enabled only indications.  The caller
    /// keeps `value`.
    ///
    /// - Returns: The number of subscribers.
    @discardableResult
    public mutating func notify(
        _ handle: UInt16, _ value: Packet, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) -> Int {
        var count = 0
        for index in connections.indices
        where notify(index, handle, value, at: now, pool: &pool, into: &outbox) { count += 1 }
        flush(at: now, pool: &pool, into: &outbox)
        return count
    }

    /// Notifies one client of a value, or indicates it if the client has enabled only indications.  The caller keeps `value`.
    ///
    /// - Returns: Whether the client has subscribed.
    @discardableResult
    public mutating func notify(
        _ handle: UInt16, _ value: Packet, to id: ConnectionID, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) -> Bool {
        guard let index = connections.firstIndex(where: { $0.id == id }) else { return false }
        let isSubscriber = notify(index, handle, value, at: now, pool: &pool, into: &outbox)
        flush(at: now, pool: &pool, into: &outbox)
        return isSubscriber
    }

    private mutating func notify(
        _ index: Int, _ handle: UInt16, _ value: Packet, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) -> Bool {
        defer { drainServer(index, pool: &pool, into: &outbox) }
        if connections[index].server.notify(handle, value, pool: &pool, into: &serverOutbox) { return true }
        guard connections[index].server.configuration(ofValue: handle).contains(.indication) else { return false }
        let octets = pool.octets(of: value)
        connections[index].server.indicate(handle, octets, at: now, pool: &pool, into: &serverOutbox)
        return true
    }

    private mutating func answer(
        _ id: ConnectionID, _ result: Result<[UInt8], ATTError>, values: inout some AttributeValues,
        at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard let index = connections.firstIndex(where: { $0.id == id }) else { return }
        connections[index].server.answer(
            result, table: table, values: &values, at: now, pool: &pool, into: &serverOutbox)
        drainServer(index, pool: &pool, into: &outbox)
    }

    /// The notifications and indications that a client has enabled for a value; nil: no such connection.
    public func configuration(ofValue handle: UInt16, of id: ConnectionID) -> ClientConfiguration? {
        guard let index = connections.firstIndex(where: { $0.id == id }) else { return nil }
        return connections[index].server.configuration(ofValue: handle)
    }

    /// The address that peers see; the public one is known after the start.
    public var address: DeviceAddress { usedRandomAddress ?? publicAddress }

    /// The connections, with the peers' addresses.
    public var connectedPeers: [(id: ConnectionID, peer: DeviceAddress)] { connections.map { ($0.id, $0.peer) } }

    /// The number of fragments for a connection that wait for buffers of the controller; at 128, a further PDU is dropped.
    public func waitingFragments(of id: ConnectionID) -> Int {
        connections.first { $0.id == id }.map { sending.waitingCount(of: $0.handle) } ?? 0
    }

    /// The addresses with which this host and the peer of a connection were connected; nil: no such connection.
    public func addresses(of id: ConnectionID) -> (own: DeviceAddress, peer: DeviceAddress)? {
        connections.first { $0.id == id }.map { ($0.security.own, $0.security.peer) }
    }

    /// Whether there is a connection in which this host and a peer use these addresses.
    public func isConnected(as own: DeviceAddress, to peer: DeviceAddress) -> Bool {
        connections.contains { $0.security.own == own && $0.security.peer == peer }
    }

    /// Replaces the bonds; the oldest is first.
    public mutating func restore(_ bonds: [Bond]) { security.bonds = bonds.suffix(security.maximumBonds) }

    /// Takes keys, random values and passkeys from another source from now on, and a new IRK if the host has one that is not
    /// of an earlier run.
    public mutating func takeSecrets(from secrets: HostSecurity.Secrets) {
        security.secrets = secrets
        guard security.resolvingKey != 0, !security.hasRestoredResolvingKey else { return }
        security.resolvingKey = UInt128(security.secrets.next()) << 64 | UInt128(security.secrets.next())
    }

    /// Sends what the controller can accept.
    private mutating func flush(at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        if faults.respondsToSubscribersLate, connections.contains(where: { $0.lateResponse != nil }) {
            outbox.append(.wake(at: now))
        }
        if hasNewDisconnection { watchEndings(at: now, into: &outbox) }
        if commands.hasWaiting { sendCommands(at: now, pool: &pool, into: &outbox) }
        while let packet = sending.next(pool: &pool) { outbox.append(.send(.acl, packet)) }
        if sending.isBlocked, bufferWatch == nil { watchBuffers(at: now, into: &outbox) }
    }

    private mutating func sendCommands(at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        if commands.isOverfull { fail(.tooManyCommands, pool: &pool, into: &outbox) }
        while let (command, deadline) = commands.next(at: now) {
            outbox.append(.send(.command, pool.take(command.octets)))
            outbox.append(.wake(at: deadline))
        }
        if let deadline = commands.stallDeadline(at: now) { outbox.append(.wake(at: deadline)) }
    }

    private mutating func timePassed(at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        if commands.isOverdue(at: now) {
            let failure = commands.pending.map { Failure.noAnswer($0.opcode) } ?? .takesNoCommands
            return fail(failure, pool: &pool, into: &outbox)
        }
        if let watch = bufferWatch, watch.deadline <= now { endWatch(watch) }
        if let attempt = connecting, attempt.deadline <= now {
            if let failure = attempt.cancelled {  // the controller did not confirm the cancellation
                endConnecting(failure, into: &outbox)
            } else {
                cancelConnecting(.timedOut, at: now, into: &outbox)
            }
        }
        while let overdue = connections.first(where: { $0.deadline <= now }) {
            endAndAdvertise(overdue.id, reason: .connectionTimeout, pool: &pool, into: &outbox)
        }
        if case .stopping = phase, connections.isEmpty { phase = .off }
        for index in connections.indices {
            requestUpdateIfDue(index, at: now, pool: &pool, into: &outbox)
            connections[index].client.step(.timePassed, at: now, pool: &pool, into: &clientOutbox)
            drainClient(index, pool: &pool, into: &outbox)
            connections[index].server.timePassed(at: now, into: &serverOutbox)
            drainServer(index, pool: &pool, into: &outbox)
            if let stalled = connections[index].stalledSecurity, stalled.due <= now {
                resumeSecurity(index, at: now, pool: &pool, into: &outbox)
            }
            if connections[index].security.isPairing {
                stepSecurity(.timePassed, index, at: now, pool: &pool, into: &outbox)
            }
        }
    }

    // MARK: Ending

    /// Stops using the controller.
    mutating func fail(_ failure: Failure, pool: inout PacketPool, into outbox: inout [Output]) {
        endAll(.hardwareFailure, pool: &pool, into: &outbox)
        phase = .failed
        outbox.append(.failed(failure))
    }

    /// Removes everything that depends on the state of the controller, and reports what has ended.
    mutating func endAll(_ reason: HCIStatus, pool: inout PacketPool, into outbox: inout [Output]) {
        while let connection = connections.first {
            end(connection.id, reason: reason, pool: &pool, into: &outbox)
        }
        endAllButConnections(reason, into: &outbox)
    }

    /// Removes what a reset ends in any case, and reports it.
    mutating func endAllButConnections(_ reason: HCIStatus, into outbox: inout [Output]) {
        commands = CommandQueue()
        advertising.hasSet = false
        if let attempt = connecting { outbox.append(.connectionFailed(attempt.peer, .status(reason))) }
        connecting = nil
        setAdvertising(false, into: &outbox)
        setScanning(false, into: &outbox)
    }

    /// Removes a connection, and reports the procedures that end with it.
    mutating func end(
        _ id: ConnectionID, reason: HCIStatus, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard let index = connections.firstIndex(where: { $0.id == id }) else { return }
        connections[index].client.step(.disconnected, at: .start, pool: &pool, into: &clientOutbox)
        drainClient(index, pool: &pool, into: &outbox)
        keepClient(index)
        if connections[index].role == .central, connections[index].security.isEncrypting {
            outbox.append(.security(id, .notEncrypted(reason)))
        }
        connections[index].reassembler.reset(pool: &pool)
        for packet in connections[index].held { pool.release(packet) }
        if let response = connections[index].lateResponse { pool.release(response) }
        sending.remove(connections[index].handle, pool: &pool)
        outbox.append(.disconnected(id, connections[index].peer, reason: reason))
        connections.remove(at: index)
    }

    mutating func setAdvertising(_ isOn: Bool, into outbox: inout [Output]) {
        guard isOn != advertising.isOn else { return }
        advertising.isOn = isOn
        outbox.append(.advertising(isOn))
    }

    mutating func setScanning(_ isOn: Bool, into outbox: inout [Output]) {
        guard isOn != scanning.isOn else { return }
        scanning.isOn = isOn
        scanning.reports.reset()
        outbox.append(.scanning(isOn))
    }
}

/// Identifies a connection of a host.  Unlike a Connection_Handle, it is never reused.
public struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    /// 1 for the first connection of a host, and so on.
    public let number: UInt32

    /// The connection with this number.
    public init(number: UInt32) { self.number = number }

    /// `#1`.
    public var description: String { "#\(number)" }
}

/// A connection and the machines above it.
struct Connection: Sendable {
    let id: ConnectionID
    let handle: UInt16
    let role: ConnectionComplete.Role
    /// The identity address, if the host or its controller knows it.
    let peer: DeviceAddress
    var reassembler = Reassembler()
    var server: Server
    var client: Client
    /// The response to a subscription, which a fault keeps back.
    var lateResponse: Packet?
    /// The PDUs that its client has sent during a stall, in order.
    var held: [Packet] = []
    var security: LinkSecurityManager
    var stalledSecurity: StalledSecurity?
    /// Whether the server has continued with what it kept of the client.
    var hasRestoredClient = false
    var timing: ConnectionTiming
    /// The parameters that this peripheral requests.
    var parameters = Host.ParameterRequest()
    var isEnding = false
    /// The deadline for the controller to report the end, while it is ending.
    var deadline = Instant.never

    init(
        _ id: ConnectionID, _ complete: ConnectionComplete, receives mtu: Int, _ faults: Host.Faults,
        _ security: HostSecurity, _ identity: Identity, own: DeviceAddress, peerOnAir: DeviceAddress
    ) {
        (self.id, handle, role, peer) = (id, complete.handle, complete.role, complete.peer)
        timing = complete.timing
        server = Server(receives: mtu)
        client = Client(receives: mtu, confirmsIndications: faults.confirmsIndications)
        server.errorInjection = faults.errorInjection
        let bond = security.bond(with: complete.peer)
        self.security = LinkSecurityManager(
            complete.role == .central ? .initiator : .responder,
            security.settings(with: complete.peer, onAir: peerOnAir), identity, own: own, peer: peerOnAir, bond: bond)
        server.security = linkSecurity
    }

    func signalling(_ faults: Host.Faults) -> SignallingResponder {
        SignallingResponder(role == .central ? .central : .peripheral, acceptsParameters: faults.acceptsParameters)
    }
}
