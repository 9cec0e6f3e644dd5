import ATT
public import Basics
import Bluetooth

/// The GATT client of one connection: runs procedures one at a time, in the order in which they were started, and
/// reports notifications and indications.  Core 6.0, Vol 3, Part G, section 4.
///
/// Every procedure ends with exactly one `.finished` or `.failed` that carries its id.
public struct Client: Sendable {
    /// Inputs of `step`.
    public enum Input: Hashable, Sendable {
        /// Queues a procedure; `.finished` or `.failed` repeats the caller's `id`.
        case start(Procedure, id: UInt32)
        /// An ATT PDU from the peer.  The client takes ownership of the packet.
        case receive(Packet)
        /// With false the client stops confirming indications, against the specification; with true it confirms a
        /// pending one and those that follow.
        case confirmIndications(Bool)
        /// Time has passed: send it at the instants of `.wake`; more often does no harm.
        case timePassed
        /// The connection ended; every procedure fails.
        case disconnected
    }

    /// Outputs of `step`.
    public enum Output: Equatable, Sendable {
        /// Send this ATT PDU to the server; the caller takes ownership of the packet.
        case send(Packet)
        /// Call `step` with `.timePassed` at this instant.
        case wake(at: Instant)
        /// A procedure succeeded.
        case finished(UInt32, Procedure.Outcome)
        /// A procedure failed.
        case failed(UInt32, Procedure.Failure)
        /// The new ATT MTU in octets, for both directions: pass it to the `adopt(mtu:)` of the connection's server.
        case exchangedMTU(Int)
        /// A notified value; the caller takes ownership of the packet.
        case notified(handle: UInt16, Packet)
        /// An indicated value, already confirmed unless `Input.confirmIndications` is off; the caller takes ownership of
        /// the packet.
        case indicated(handle: UInt16, Packet)
        /// The client ignored a malformed PDU, or a response to no request.
        case ignored(opcode: UInt8)
        /// The server did not answer a request within 30 s: the client sends nothing more; disconnect.
        case bearerLost
    }

    /// A discovery that finds more services, characteristics and descriptors than this fails with `.tooMuch`.
    public static let maximumDiscovered = 4096

    /// The current ATT MTU, in octets.
    public private(set) var mtu = Server.defaultMTU

    private let receives: Int
    private var confirmsIndications: Bool
    private var owesConfirmation = false
    private var hasExchangedMTU = false
    private var requester = Requester()
    /// The instant of the last `.wake`.
    private var nextWake = Instant.never
    private var current: ActiveProcedure?
    /// Set when the client can send nothing more.
    private var over: Procedure.Failure?
    private var waiting: [(id: UInt32, procedure: Procedure)] = []

    /// A client for a new connection.
    ///
    /// - Parameters:
    ///   - mtu: the Client Rx MTU to offer, in octets; clamped to 23...517.
    ///   - confirmsIndications: see `Input.confirmIndications`.
    public init(receives mtu: Int, confirmsIndications: Bool = true) {
        receives = min(max(mtu, Server.defaultMTU), Server.maximumMTU)
        self.confirmsIndications = confirmsIndications
    }

    /// Sets the MTU that the server of the same connection exchanged.
    public mutating func adopt(mtu: Int) { self.mtu = min(max(mtu, Server.defaultMTU), Server.maximumMTU) }

    /// Handles one input, and appends the resulting outputs to `outbox` in order.
    ///
    /// Total: no input traps, and every procedure ends whatever the server sends.
    public mutating func step(
        _ input: Input, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        switch input {
        case .start(let procedure, let id):
            guard current == nil, waiting.isEmpty else { return waiting.append((id, procedure)) }
            return begin(procedure, id, at: now, pool: &pool, into: &outbox)
        case .receive(let packet):
            receive(packet, at: now, pool: &pool, into: &outbox)
        case .confirmIndications(let isOn):
            confirmsIndications = isOn
            if owesConfirmation { confirm(pool: &pool, into: &outbox) }
        case .timePassed:
            timePassed(at: now, into: &outbox)
        case .disconnected:
            end(.disconnected, into: &outbox)
        }
        startNext(at: now, pool: &pool, into: &outbox)
    }

    private mutating func timePassed(at now: Instant, into outbox: inout [Output]) {
        if nextWake <= now { nextWake = .never }
        guard over == nil else { return }
        if requester.timePassed(at: now) {
            outbox.append(.bearerLost)
            end(.bearerLost, into: &outbox)
        } else if let deadline = requester.deadline {
            wake(at: deadline, into: &outbox)
        }
    }

    // MARK: Receiving

    private mutating func receive(
        _ packet: Packet, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard let opcode = pool.uint8(at: 0, of: packet) else { return pool.release(packet) }
        switch Opcode(rawValue: opcode) {
        case .handleValueNotification, .handleValueIndication:
            guard let handle = pool.uint16(at: 1, of: packet) else {
                pool.release(packet)
                return outbox.append(.ignored(opcode: opcode))
            }
            var value = packet
            value.dropFirst(3)
            if opcode == Opcode.handleValueNotification.rawValue {
                outbox.append(.notified(handle: handle, value))
            } else {
                confirm(pool: &pool, into: &outbox)
                outbox.append(.indicated(handle: handle, value))
            }
        case .multipleHandleValueNotification:
            let pdu = try? PDU(pool.slice(of: packet))
            pool.release(packet)
            guard case .multipleHandleValueNotification(let list) = pdu else {
                return outbox.append(.ignored(opcode: opcode))
            }
            for entry in list { outbox.append(.notified(handle: entry.handle, pool.take(entry.value))) }
        default:
            let answer = isForServer(opcode) ? nil : requester.receive(pool.slice(of: packet))
            pool.release(packet)
            guard let answer, let id = current?.id else { return outbox.append(.ignored(opcode: opcode)) }
            advance(id, with: answer, at: now, pool: &pool, into: &outbox)
        }
    }

    /// Confirms an indication, now or when `confirmIndications` is turned on again.
    private mutating func confirm(pool: inout PacketPool, into outbox: inout [Output]) {
        owesConfirmation = !confirmsIndications
        if confirmsIndications { outbox.append(.send(pool.take(.handleValueConfirmation))) }
    }

    private mutating func advance(
        _ id: UInt32, with answer: Requester.Answer, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        do throws(Procedure.Failure) {
            switch try current?.receive(answer, mtu: mtu) {
            case nil: break
            case .request(let request): send(request, at: now, pool: &pool, into: &outbox)
            case .finished(.mtu(let serverReceives)):
                hasExchangedMTU = true
                adopt(mtu: min(serverReceives, receives))
                outbox.append(.exchangedMTU(mtu))
                finish(id, .mtu(mtu), into: &outbox)
            case .finished(let outcome): finish(id, outcome, into: &outbox)
            }
        } catch {
            current = nil
            outbox.append(.failed(id, error))
        }
    }

    private mutating func finish(_ id: UInt32, _ outcome: Procedure.Outcome, into outbox: inout [Output]) {
        current = nil
        outbox.append(.finished(id, outcome))
    }

    private mutating func end(_ failure: Procedure.Failure, into outbox: inout [Output]) {
        over = failure
        if let current { outbox.append(.failed(current.id, failure)) }
        current = nil
    }

    // MARK: Sending

    /// Starts procedures until one waits for the server.
    private mutating func startNext(at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        while current == nil, !waiting.isEmpty {
            let (id, procedure) = waiting.removeFirst()
            begin(procedure, id, at: now, pool: &pool, into: &outbox)
        }
    }

    private mutating func begin(
        _ procedure: Procedure, _ id: UInt32, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        if let failure = over ?? impossible(procedure) { return outbox.append(.failed(id, failure)) }
        switch procedure {
        case .exchangeMTU where hasExchangedMTU: outbox.append(.finished(id, .mtu(mtu)))
        case .writeReliably([]): outbox.append(.finished(id, .written))
        case .writeCommand(let handle, let value):
            outbox.append(.send(pool.take(.writeCommand(handle: handle, value: value))))
            outbox.append(.finished(id, .written))
        default:
            let active = ActiveProcedure(procedure, id: id, receives: receives, mtu: mtu)
            send(active.request, at: now, pool: &pool, into: &outbox)
            current = active
        }
    }

    /// The failure of a procedure whose PDU would exceed the MTU or the specification's limits.
    private func impossible(_ procedure: Procedure) -> Procedure.Failure? {
        switch procedure {
        case .write(_, let value), .writeCommand(_, let value): value.count > mtu - 3 ? .valueTooLong(value.count) : nil
        case .writeLong(_, let value), .writeRest(_, _, let value): tooLong(value)
        case .writeReliably(let values): values.lazy.compactMap { tooLong($0.value) }.first
        case .readMultiple(let handles), .readMultipleVariable(let handles):
            2...(mtu - 1) / 2 ~= handles.count ? nil : .handleCount(handles.count)
        default: nil
        }
    }

    private func tooLong(_ value: [UInt8]) -> Procedure.Failure? {
        value.count > AttributeTable.maximumValueLength ? .valueTooLong(value.count) : nil
    }

    private mutating func send(
        _ request: PDU, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard let deadline = requester.request(request.opcode, at: now) else { return }
        outbox.append(.send(pool.take(request)))
        wake(at: deadline, into: &outbox)
    }

    /// Requests one `.wake` at a time; an early one requests the next.
    private mutating func wake(at deadline: Instant, into outbox: inout [Output]) {
        guard deadline < nextWake else { return }
        nextWake = deadline
        outbox.append(.wake(at: deadline))
    }
}
