import ATT
import Bluetooth
public import Octets
public import Simulation

/// The client of one connection: plays procedures one behind the other in the order they were started, and hands on
/// what the server notifies meanwhile.  Core 6.0, Vol 3, Part G, section 4.
///
/// Every procedure that is started ends with exactly one `.finished` or `.failed` with its id.
public struct Client: Sendable {
    /// What can happen.
    public enum Input: Hashable, Sendable {
        /// A procedure is wanted; `id` is the caller's, and comes back with the end.
        case start(Procedure, id: UInt32)
        /// A PDU from the server; the client releases it, or hands it on.
        case receive(Packet)
        /// Indications are confirmed, as they have to be, or a fault keeps the client from it until this is said again:
        /// then one that waits is confirmed.
        case confirmIndications(Bool)
        /// An instant for which `.wake` asked has come, or any other.
        case timePassed
        /// The connection has ended: so does every procedure.
        case disconnected
    }

    /// What there is to do, or to know.
    public enum Output: Equatable, Sendable {
        /// A PDU for the server.
        case send(Packet)
        /// `timePassed` is to be said then.
        case wake(at: Instant)
        /// A procedure has succeeded.
        case finished(UInt32, Procedure.Outcome)
        /// A procedure has not.
        case failed(UInt32, Procedure.Failure)
        /// From now on PDUs in both directions have so many octets at most; the connection's server has to adopt it.
        case exchangedMTU(Int)
        /// The value of an attribute, from the server's own accord; whoever takes the packet releases it.
        case notified(handle: UInt16, Packet)
        /// The same, and it has been confirmed already, unless `Input.confirmIndications` says otherwise.
        case indicated(handle: UInt16, Packet)
        /// Octets that are no PDU, and a response that nobody waits for: nothing came of them.
        case ignored(opcode: UInt8)
        /// A request was not answered within 30 s: nothing is sent any more, and the link has to be closed.
        case bearerLost
    }

    /// How many services, characteristics and descriptors a discovery may find before it is given up.
    public static let mostFound = 4096

    /// The most octets that a PDU can have on this bearer.
    public private(set) var mtu = Server.defaultMTU

    private let receives: Int
    private var confirmsIndications: Bool
    private var owesConfirmation = false
    private var hasExchangedMTU = false
    private var requester = Requester()
    /// When the `.wake` that was asked for last comes.
    private var nextWake = Instant.never
    private var current: Run?
    /// Why nothing is sent any more.
    private var over: Procedure.Failure?
    private var waiting: [(id: UInt32, procedure: Procedure)] = []

    /// For a new connection; `mtu` is the largest PDU that we take, in octets, and counts as 23 to 517.
    public init(receives mtu: Int, confirmsIndications: Bool = true) {
        receives = min(max(mtu, Server.defaultMTU), Server.largestMTU)
        self.confirmsIndications = confirmsIndications
    }

    /// Takes over the MTU that this device's own server has exchanged on the same bearer.
    public mutating func adopt(mtu: Int) { self.mtu = min(max(mtu, Server.defaultMTU), Server.largestMTU) }

    /// Takes one input and adds what is to be done about it to `outbox`, in order.  Total: nothing a server sends
    /// traps, or keeps a procedure going for ever.
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

    // MARK: What the server sends

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
            goOn(id, with: answer, at: now, pool: &pool, into: &outbox)
        }
    }

    /// Confirms an indication, now or when nothing keeps the client from it any more.
    private mutating func confirm(pool: inout PacketPool, into outbox: inout [Output]) {
        owesConfirmation = !confirmsIndications
        if confirmsIndications { outbox.append(.send(pool.take(.handleValueConfirmation))) }
    }

    private mutating func goOn(
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

    // MARK: What is sent

    /// Begins procedures until one has to wait for the server.
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
            let run = Run(procedure, id: id, receives: receives, mtu: mtu)
            send(run.request, at: now, pool: &pool, into: &outbox)
            current = run
        }
    }

    /// Why no PDU of now can say what a procedure wants.
    private func impossible(_ procedure: Procedure) -> Procedure.Failure? {
        switch procedure {
        case .write(_, let value), .writeCommand(_, let value): value.count > mtu - 3 ? .valueTooLong(value.count) : nil
        case .writeLong(_, let value): tooLong(value)
        case .writeReliably(let values): values.lazy.compactMap { tooLong($0.value) }.first
        case .readMultiple(let handles), .readMultipleVariable(let handles):
            2...(mtu - 1) / 2 ~= handles.count ? nil : .handleCount(handles.count)
        default: nil
        }
    }

    private func tooLong(_ value: [UInt8]) -> Procedure.Failure? {
        value.count > AttributeTable.longestValue ? .valueTooLong(value.count) : nil
    }

    private mutating func send(
        _ request: PDU, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard let deadline = requester.request(request.opcode, at: now) else { return }
        outbox.append(.send(pool.take(request)))
        wake(at: deadline, into: &outbox)
    }

    /// Has one `.wake` at a time: one that comes before the deadline asks for the next.
    private mutating func wake(at deadline: Instant, into outbox: inout [Output]) {
        guard deadline < nextWake else { return }
        nextWake = deadline
        outbox.append(.wake(at: deadline))
    }
}
