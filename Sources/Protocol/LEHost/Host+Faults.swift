import Basics
import GATT
import L2CAP

// Faults that a script injects.
extension Host {
    struct Faults: Sendable {
        /// `on`: clients are not answered; `over`: until `timePassed`, so that another stall at the same instant
        /// continues this one.
        enum Stall: Equatable, Sendable {
            case none
            case on(ErrorInjection.Requests)
            case over
        }

        var stall = Stall.none
        var errorInjection = ErrorInjection()
        var security = SecurityFaults()
        var confirmsIndications = true
        var acceptsParameters = true
        var respondsToSubscribersLate = false
        var overhears = false
        var divertsSecurity = false
    }

    /// The maximum number of PDUs of a client that wait for the end of a stall; further ones are dropped.
    public static let maximumHeldPDUs = 64

    /// The maximum length of a PDU of `sendRaw`; longer ones are truncated.
    private static let maximumRawCount = PacketPool.capacity - PacketPool.l2capHeaderCount

    mutating func inject(_ fault: Fault, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        switch fault {
        case .stall(let requests) where requests.isEmpty:
            guard case .on = faults.stall else { return }
            faults.stall = .over
            outbox.append(.wake(at: now))
        case .stall(let requests): faults.stall = .on(requests)
        case .injectErrors(let errorInjection):
            faults.errorInjection = errorInjection
            for index in connections.indices { connections[index].server.errorInjection = errorInjection }
        case .injectSecurityFaults(let security): inject(security, at: now, pool: &pool, into: &outbox)
        case .offer(let octets):
            mtu = octets
            for index in connections.indices { connections[index].server.offer(mtu: octets) }
        case .confirmIndications(let isOn):
            faults.confirmsIndications = isOn
            for index in connections.indices {
                connections[index].client.step(
                    .confirmIndications(isOn), at: now, pool: &pool, into: &clientOutbox)
                drainClient(index, pool: &pool, into: &outbox)
            }
        case .respondToSubscribersLate(let isOn): faults.respondsToSubscribersLate = isOn
        case .acceptParameters(let isOn): faults.acceptsParameters = isOn
        case .sendRaw(let channel, let octets):
            for index in connections.indices {
                send(pool.take(octets.prefix(Self.maximumRawCount)), on: channel, index, pool: &pool, into: &outbox)
            }
        case .overhear(let isOn): faults.overhears = isOn
        case .divertSecurity(let isOn): faults.divertsSecurity = isOn
        }
    }

    /// Whether a PDU for the server has to wait for the end of a stall.
    func isStalled(_ packet: Packet, in pool: borrowing PacketPool) -> Bool {
        switch faults.stall {
        case .none: false
        case .over: true
        case .on(let requests):
            requests == .all || !requests.isDisjoint(with: .init(of: pool.slice(of: packet), in: table))
        }
    }

    /// Keeps a PDU for the end of the stall.
    mutating func hold(_ packet: Packet, _ index: Int, pool: inout PacketPool) {
        guard connections[index].held.count < Self.maximumHeldPDUs else { return pool.release(packet) }
        connections[index].held.append(packet)
    }

    /// Whether a client that has subscribed waits for the response.
    package func owesResponse(to id: ConnectionID) -> Bool {
        connections.contains { $0.id == id && $0.lateResponse != nil }
    }

    /// Keeps the response to a subscription back, until `respondLate`.
    mutating func delayResponse(_ index: Int) {
        guard faults.respondsToSubscribersLate, connections[index].lateResponse == nil,
            serverOutbox.contains(where: { if case .subscribed = $0 { true } else { false } }),
            case .send(let response)? = serverOutbox.first
        else { return }
        connections[index].lateResponse = response
        serverOutbox.removeFirst()
    }

    /// Sends the responses that were kept back.
    mutating func respondLate(pool: inout PacketPool, into outbox: inout [Output]) {
        for index in connections.indices {
            guard let response = connections[index].lateResponse else { continue }
            connections[index].lateResponse = nil
            send(response, on: .attribute, index, pool: &pool, into: &outbox)
        }
    }

    /// Answers the PDUs that waited for the end of the stall.
    mutating func answerHeld(
        values: inout some AttributeValues, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        faults.stall = .none
        for index in connections.indices {
            let held = connections[index].held
            connections[index].held = []
            for packet in held {
                receiveATT(packet, index, values: &values, at: now, pool: &pool, into: &outbox)
            }
        }
    }
}
