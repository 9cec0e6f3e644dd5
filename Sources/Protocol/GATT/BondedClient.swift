import ATT
import Bluetooth
public import Octets
public import Simulation

/// What a server keeps of a bonded client between connections: its Client Characteristic Configurations, its Client
/// Supported Features, and whether it is change-aware.  Core 6.0, Vol 3, Part G, sections 2.5.2.1, 3.3.3.3 and 7.2.
public struct BondedClient: Sendable {
    private(set) var configurations: [Server.Configuration]
    let awareness: ChangeAwareness
    /// The attributes that the client knows.
    private(set) var table: AttributeTable

    init(_ configurations: [Server.Configuration], _ awareness: ChangeAwareness, _ table: AttributeTable) {
        (self.configurations, self.awareness, self.table) = (configurations, awareness, table)
    }

    /// The server hides a change of its attributes, as faulty firmware does.
    public mutating func ignoreChange(to table: AttributeTable) {
        configurations.removeAll { !table.keeps($0.valueHandle, of: self.table) }
        self.table = table
    }
}

extension Server {
    /// What is to be kept of the client, which knows the attributes of `table`.
    public func bondedClient(knowing table: AttributeTable) -> BondedClient {
        BondedClient(configurations, awareness, table)
    }

    /// Continues with what was kept of a bonded client, as soon as encryption has proved that it is this client.
    ///
    /// A client that was absent while the attributes changed is change-unaware, and receives Service Changed.
    public mutating func restore(
        _ client: BondedClient, table: AttributeTable, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        awareness = client.awareness
        for entry in client.configurations where configuration(ofValue: entry.valueHandle).isEmpty {
            configure(entry.value, ofValue: entry.valueHandle)
            outbox.append(.subscribed(handle: entry.valueHandle))
        }
        attributesChanged(from: client.table, to: table, at: now, pool: &pool, into: &outbox)
    }
}
