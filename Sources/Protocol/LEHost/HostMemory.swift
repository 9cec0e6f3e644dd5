public import Bluetooth
public import GATT
public import SecurityManager

/// The state that a host keeps while it is switched off, so that its peers need not pair, nor subscribe, again.
public struct HostMemory: Hashable, Sendable {
    /// The IRK by which bonded peers recognize the host; 0 if it does not use resolvable private addresses.
    public var resolvingKey: UInt128
    /// The bonds, the oldest first.
    public var bonds: [Bond]
    /// What the server knows of bonded clients, by identity address.
    public var clients: [DeviceAddress: BondedClient.Record]

    /// The memory of a host.
    public init(
        resolvingKey: UInt128 = 0, bonds: [Bond] = [], clients: [DeviceAddress: BondedClient.Record] = [:]
    ) { (self.resolvingKey, self.bonds, self.clients) = (resolvingKey, bonds, clients) }
}

extension Host {
    /// The state that the host has to keep when it is switched off now.
    public var memory: HostMemory {
        var clients = security.clients
        for index in connections.indices {
            if let (peer, client) = bondedClient(index) { clients[peer] = client }
        }
        return HostMemory(
            resolvingKey: security.resolvingKey, bonds: security.bonds, clients: clients.compactMapValues(\.record))
    }

    /// Forgets what bonded clients that are not connected have subscribed to, as a faulty device does.
    package mutating func forgetSubscriptions() {
        for peer in security.clients.keys { security.clients[peer]?.forgetConfigurations() }
    }

    /// Continues with the memory of an earlier run, before the start.  Only a host that uses private addresses takes the IRK.
    public mutating func restore(_ memory: HostMemory) {
        restore(memory.bonds)
        for bond in security.bonds {
            security.clients[bond.peer] = memory.clients[bond.peer].map { BondedClient($0, table: table) }
        }
        guard security.resolvingKey != 0, memory.resolvingKey != 0 else { return }
        (security.resolvingKey, security.hasRestoredResolvingKey) = (memory.resolvingKey, true)
    }
}
