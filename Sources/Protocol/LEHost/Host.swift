public import Bluetooth
public import GATT
import HCI
import L2CAP
public import Octets
public import Simulation

/// A Bluetooth LE host above one controller: peripheral, central, or both, with any number of connections.
///
///     off ──start──▶ starting ──▶ ready ──▶ failed      (start begins anew from everywhere)
///
/// It speaks HCI downwards (Core 6.0, Vol 4, Part E), and per connection L2CAP's fixed channels (Vol 3, Part A), a GATT
/// server and a GATT client; Pairing Requests and requests for keys it refuses.  On a controller with extended
/// advertising it uses the commands of that, else those of Bluetooth 4.  Total: nothing that a controller or a peer
/// sends traps or hangs it.
public struct Host: Sendable {
    /// How many connections there are at most; a further one is ended at once.
    public static let mostConnections = 64

    enum Phase: Sendable {
        case off
        case starting(StartUp)
        case ready
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

    struct Connecting: Sendable {
        let peer: DeviceAddress
        var deadline: Instant
        /// Set when it was cancelled: what to say when the controller agrees.
        var cancelled: ConnectionFailure?
        /// The connection that came all the same, and is being ended; what is said waits for its end.
        var unwanted: UInt16?
    }

    /// The attributes that every connection sees.
    public internal(set) var table: AttributeTable
    var randomAddress: DeviceAddress?
    var mtu: Int
    let preferred: ConnectionParameters?

    var phase = Phase.off
    var features: LEFeatures = []
    var family = CommandFamily.legacy
    var commands = CommandQueue()
    var sending = SendQueue(fragmentLength: 27, count: 0)
    var connections: [Connection] = []
    var lastNumber: UInt32 = 0
    var hasNewEnding = false

    var advertisement: Advertisement?
    var isAdvertising = false
    var hasAdvertisingSet = false
    var scan: Scan?
    var isScanning = false
    var reports = ReportAssembler()
    var connecting: Connecting?
    var faults = Faults()
    var overhears = false

    // Kept from step to step for their storage only.
    var serverOutbox: [Server.Output] = []
    var clientOutbox: [Client.Output] = []

    /// A host whose devices see these attributes.  With a static random address it uses that one, else the
    /// controller's public one; `mtu` is the largest ATT PDU that it takes, in octets: 23 to 517.  As a peripheral it asks
    /// for the `preferred` parameters, once in a connection that has others; whether they are valid, the peer says.
    public init(
        table: AttributeTable, randomAddress: DeviceAddress? = nil, receives mtu: Int = 247,
        preferring preferred: ConnectionParameters? = nil
    ) {
        (self.table, self.randomAddress, self.mtu, self.preferred) = (table, randomAddress, mtu, preferred)
    }

    /// Takes one input and adds what is to be done about it to `outbox`, in order.
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
            if faults.stall == .over { answerHeld(values: &values, at: now, pool: &pool, into: &outbox) }
        case .command(let command): perform(command, at: now, pool: &pool, into: &outbox)
        }
        flush(at: now, pool: &pool, into: &outbox)
    }

    /// Notifies every subscriber of a value, or indicates it to those who have asked for that only, and returns how many
    /// there are; `value` stays the caller's.
    @discardableResult
    public mutating func notify(
        _ handle: UInt16, _ value: Packet, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) -> Int {
        var count = 0
        for index in connections.indices {
            if connections[index].server.notify(handle, value, pool: &pool, into: &serverOutbox) {
                count += 1
            } else if connections[index].server.configuration(ofValue: handle).contains(.indication) {
                let octets = pool.octets(of: value)
                connections[index].server.indicate(handle, octets, at: now, pool: &pool, into: &serverOutbox)
                count += 1
            }
            drainServer(index, pool: &pool, into: &outbox)
        }
        flush(at: now, pool: &pool, into: &outbox)
        return count
    }

    /// What a client has asked to be told of a value; nil when there is no such connection.
    public func configuration(ofValue handle: UInt16, of id: ConnectionID) -> ClientConfiguration? {
        guard let index = connections.firstIndex(where: { $0.id == id }) else { return nil }
        return connections[index].server.configuration(ofValue: handle)
    }

    /// Sends what the controller has room for.
    private mutating func flush(at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        if hasNewEnding { watchEndings(at: now, into: &outbox) }
        if commands.hasWaiting { giveCommands(at: now, pool: &pool, into: &outbox) }
        while let packet = sending.next(pool: &pool) { outbox.append(.send(.acl, packet)) }
    }

    private mutating func giveCommands(at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        if commands.isOverfull { fail(.tooManyCommands, pool: &pool, into: &outbox) }
        while let (command, deadline) = commands.next(at: now) {
            outbox.append(.send(.command, pool.take(command.octets)))
            outbox.append(.wake(at: deadline))
        }
        if let deadline = commands.standsStill(at: now) { outbox.append(.wake(at: deadline)) }
    }

    private mutating func timePassed(at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        if commands.isOverdue(at: now) {
            let failure = commands.underWay.map { Failure.noAnswer($0.opcode) } ?? .takesNoCommands
            return fail(failure, pool: &pool, into: &outbox)
        }
        if let attempt = connecting, attempt.deadline <= now {
            if let failure = attempt.cancelled {  // the controller never said that it agrees
                endConnecting(failure, into: &outbox)
            } else {
                cancelConnecting(.timedOut, at: now, into: &outbox)
            }
        }
        while let overdue = connections.first(where: { $0.deadline <= now }) {
            endAndAdvertise(overdue.id, reason: .connectionTimeout, pool: &pool, into: &outbox)
        }
        for index in connections.indices {
            askForRhythm(index, at: now, pool: &pool, into: &outbox)
            connections[index].client.step(.timePassed, at: now, pool: &pool, into: &clientOutbox)
            drainClient(index, pool: &pool, into: &outbox)
            connections[index].server.timePassed(at: now, into: &serverOutbox)
            drainServer(index, pool: &pool, into: &outbox)
        }
    }

    // MARK: The end

    /// Gives the controller up.
    mutating func fail(_ failure: Failure, pool: inout PacketPool, into outbox: inout [Output]) {
        endAll(pool: &pool, into: &outbox)
        phase = .failed
        outbox.append(.failed(failure))
    }

    /// Forgets all that depends on the controller's memory, and tells what is over.
    mutating func endAll(pool: inout PacketPool, into outbox: inout [Output]) {
        commands = CommandQueue()
        hasAdvertisingSet = false
        while let connection = connections.first {
            end(connection.id, reason: .hardwareFailure, pool: &pool, into: &outbox)
        }
        if let attempt = connecting { outbox.append(.connectionFailed(attempt.peer, .status(.hardwareFailure))) }
        connecting = nil
        told(advertising: false, into: &outbox)
        told(scanning: false, into: &outbox)
    }

    /// Forgets a connection, and tells what was under way on it.
    mutating func end(
        _ id: ConnectionID, reason: HCIStatus, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard let index = connections.firstIndex(where: { $0.id == id }) else { return }
        connections[index].client.step(.disconnected, at: .start, pool: &pool, into: &clientOutbox)
        drainClient(index, pool: &pool, into: &outbox)
        connections[index].reassembler.reset(pool: &pool)
        for packet in connections[index].held { pool.release(packet) }
        sending.remove(connections[index].handle, pool: &pool)
        outbox.append(.disconnected(id, connections[index].peer, reason: reason))
        connections.remove(at: index)
    }

    mutating func told(advertising isOn: Bool, into outbox: inout [Output]) {
        guard isOn != isAdvertising else { return }
        isAdvertising = isOn
        outbox.append(.advertising(isOn))
    }

    mutating func told(scanning isOn: Bool, into outbox: inout [Output]) {
        guard isOn != isScanning else { return }
        isScanning = isOn
        reports.reset()
        outbox.append(.scanning(isOn))
    }
}
