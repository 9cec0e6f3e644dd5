import Basics
import Bluetooth
import GATT
import HCI
import L2CAP
import SecurityManager

// Pairing and encryption.
extension Host {
    mutating func receiveSecurity(
        _ packet: Packet, _ index: Int, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        let octets = pool.octets(of: packet)
        pool.release(packet)
        guard !faults.divertsSecurity else { return outbox.append(.securityPDU(connections[index].id, octets)) }
        stepSecurity(.received(octets), index, at: now, pool: &pool, into: &outbox)
    }

    /// The controller asks for a key, or reports encryption.
    mutating func stepSecurity(
        _ input: LinkSecurityManager.Input, of handle: UInt16, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        guard let index = index(of: handle) else { return }
        stepSecurity(input, index, at: now, pool: &pool, into: &outbox)
    }

    mutating func stepSecurity(
        _ input: LinkSecurityManager.Input, _ index: Int, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        var outputs: [LinkSecurityManager.Output] = []
        let peer = connections[index].peer
        let own = connections[index].security.bond?.peer
        connections[index].security.otherBonds = security.bonds.filter { $0.peer != own }
        connections[index].security.alteration = faults.security.alteration
        connections[index].security.refusal =
            faults.security.refusal ?? (security.attempts.permits(peer, at: now) ? nil : .repeatedAttempts)
        connections[index].security.step(input, at: now, using: &security.secrets, into: &outputs)
        for output in outputs where !stalls(output, index, at: now, into: &outbox) {
            handle(output, index, at: now, pool: &pool, into: &outbox)
        }
    }

    /// Performs an output of a connection's Security Manager, or reports it.
    mutating func handle(
        _ output: LinkSecurityManager.Output, _ index: Int, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        let (id, handle) = (connections[index].id, connections[index].handle)
        switch output {
        case .send(let octets): return send(pool.take(octets), on: .security, index, pool: &pool, into: &outbox)
        case .wake(let instant): return outbox.append(.wake(at: instant))
        case .encrypt(let key): return commands.add(.leEnableEncryption(handle, key.rand, key.ediv, key.octets))
        case .answer(let key?):
            return commands.add(.leLongTermKeyRequestReply(handle, faults.security.key(key).octets))
        case .answer(nil): return commands.add(.leLongTermKeyRequestNegativeReply(handle))
        case .completed(let bond, let isBonded):
            security.attempts.ended(with: connections[index].peer, nil, at: now)
            if isBonded { keep(bond) }
        case .failed(let failure): security.attempts.ended(with: connections[index].peer, failure, at: now)
        default: break
        }
        connections[index].server.security = connections[index].linkSecurity
        outbox.append(.security(id, output))
        if security.bonds.count > security.maximumBonds { forget(security.bonds[0].peer, into: &outbox) }
        if case .encrypted(.some, isNew: false) = output {
            restoreClient(index, at: now, pool: &pool, into: &outbox)
        }
    }

    /// Continues with what the server has kept of a bonded client, whose link is encrypted now.
    private mutating func restoreClient(
        _ index: Int, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard !connections[index].hasRestoredClient, let peer = connections[index].security.bond?.peer,
            let client = security.clients[peer]
        else { return }
        connections[index].hasRestoredClient = true
        connections[index].server.restore(client, table: table, at: now, pool: &pool, into: &serverOutbox)
        drainServer(index, pool: &pool, into: &outbox)
    }

    /// Keeps the state of a bonded client whose connection ends.
    mutating func keepClient(_ index: Int) {
        if let (peer, client) = bondedClient(index) { security.clients[peer] = client }
    }

    /// The state of the server for the client of a connection; nil without a bond.
    func bondedClient(_ index: Int) -> (peer: DeviceAddress, client: BondedClient)? {
        guard connections[index].security.usesBond, let peer = connections[index].security.bond?.peer,
            security.bonds.contains(where: { $0.peer == peer })
        else { return nil }
        return (peer, connections[index].server.bondedClient(knowing: table))
    }

    /// Passes the settings on to the connections.
    mutating func updateSecuritySettings() {
        for index in connections.indices {
            let (identity, onAir) = (connections[index].peer, connections[index].security.peer)
            connections[index].security.settings = security.settings(with: identity, onAir: onAir)
        }
    }

    /// Keeps a bond, which replaces the one that other connections with the peer perhaps use.
    private mutating func keep(_ bond: Bond) {
        security.keep(bond)
        for index in connections.indices where connections[index].security.bond?.peer == bond.peer {
            connections[index].security.bond = bond
        }
    }

    /// Removes the bond with a peer; its connections keep their encryption.
    mutating func forget(_ peer: DeviceAddress, into outbox: inout [Output]) {
        privateAddresses.forget(peer)
        guard security.forget(peer) else { return }
        outbox.append(.bondLost(peer))
        for index in connections.indices where connections[index].security.bond?.peer == peer {
            connections[index].security.bond = nil
        }
    }
}

extension Connection {
    /// What the server's permissions refer to.
    var linkSecurity: LinkSecurity {
        guard let key = security.key else { return security.bond?.key(as: security.role) == nil ? [] : .bonded }
        var result: LinkSecurity = [.encrypted]
        if key.isAuthenticated { result.insert(.authenticated) }
        if key.isSecureConnections { result.insert(.secureConnections) }
        if key.size == 16 { result.insert(.fullKeySize) }
        return result
    }
}

extension LongTermKey {
    /// The key as HCI carries it, the least significant octet first.
    fileprivate var octets: [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: value >> UInt128(8 * $0)) } }
}
