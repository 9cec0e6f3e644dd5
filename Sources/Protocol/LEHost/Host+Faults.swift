import Basics
import GATT
import L2CAP

// Faults that a script injects.
extension Host {
    struct Faults: Sendable {
        /// `on`: clients are not answered; `over`: until `timePassed`, so that another stall at the same instant
        /// continues this one.
        enum Stall: Sendable { case none, on, over }

        var stall = Stall.none
        var errorInjection = ErrorInjection()
        var security = SecurityFaults()
        var confirmsIndications = true
    }

    /// The maximum number of PDUs of a client that wait for the end of a stall; further ones are dropped.
    public static let maximumHeldPDUs = 64

    /// The maximum length of a PDU of `sendRaw`; longer ones are truncated.
    private static let maximumRawCount = PacketPool.capacity - PacketPool.l2capHeaderCount

    mutating func inject(_ fault: Fault, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        switch fault {
        case .stall(true): faults.stall = .on
        case .stall(false):
            guard faults.stall == .on else { return }
            faults.stall = .over
            outbox.append(.wake(at: now))
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
        case .sendRaw(let channel, let octets):
            for index in connections.indices {
                send(pool.take(octets.prefix(Self.maximumRawCount)), on: channel, index, pool: &pool, into: &outbox)
            }
        case .overhear(let isOn): overhears = isOn
        case .divertSecurity(let isOn): divertsSecurity = isOn
        }
    }

    /// Keeps a PDU for the end of the stall.
    mutating func hold(_ packet: Packet, _ index: Int, pool: inout PacketPool) {
        guard connections[index].held.count < Self.maximumHeldPDUs else { return pool.release(packet) }
        connections[index].held.append(packet)
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
