import ATT
public import Basics
import Bluetooth

/// What a server keeps of a bonded client between connections: its Client Characteristic Configurations, its Client
/// Supported Features, and whether it is change-aware.  Core 6.0, Vol 3, Part G, sections 2.5.2.1, 3.3.3.3 and 7.2.
public struct BondedClient: Sendable {
    private(set) var configurations: [Server.Configuration]
    let awareness: ChangeAwareness
    /// The attributes that the client knows.
    private(set) var table: AttributeTable
    /// Whether the attributes have changed since the client was known, in a way that is not known any more.
    private(set) var hasMissedChange = false

    init(_ configurations: [Server.Configuration], _ awareness: ChangeAwareness, _ table: AttributeTable) {
        (self.configurations, self.awareness, self.table) = (configurations, awareness, table)
    }

    /// The server forgets what the client has subscribed to, against the specification.
    package mutating func forgetConfigurations() { configurations = [] }

    /// The server hides a change of its attributes, as faulty firmware does.
    public mutating func ignoreChange(to table: AttributeTable) {
        configurations.removeAll { !table.keeps($0.valueHandle, of: self.table) }
        self.table = table
    }
}

extension BondedClient {
    /// The knowledge of a client that a device stores while it is switched off.  A hash represents the attributes.
    public struct Record: Hashable, Sendable {
        /// The configuration of each value that the client has subscribed to, by the handle of the value.
        public var configurations: [UInt16: ClientConfiguration]
        /// The client's Client Supported Features.
        public var features: UInt8
        /// Whether the client is change-aware.
        public var isChangeAware: Bool
        /// The Database Hash of the attributes that the client knows, 16 octets.
        public var databaseHash: [UInt8]

        /// A record as it was stored.
        public init(
            _ configurations: [UInt16: ClientConfiguration], features: UInt8, isChangeAware: Bool, databaseHash: [UInt8]
        ) {
            (self.configurations, self.features) = (configurations, features)
            (self.isChangeAware, self.databaseHash) = (isChangeAware, databaseHash)
        }
    }

    /// What to store; nil if libcrypto cannot compute the hash.
    public var record: Record? {
        guard let hash = try? table.databaseHash() else { return nil }
        let configurations = Dictionary(configurations.map { ($0.valueHandle, $0.value) }) { first, _ in first }
        return Record(
            configurations, features: awareness.features, isChangeAware: awareness.isAware, databaseHash: hash)
    }

    /// A client of which a record was stored, perhaps before the attributes changed to those of `table`.
    ///
    /// After a change the client is change-unaware.  Only its configuration of Service Changed is still valid.
    public init(_ record: Record, table: AttributeTable) {
        let hasMissedChange = (try? table.databaseHash()) != record.databaseHash
        let serviceChanged = table.handle(ofFirst: .serviceChanged)
        let configurations = record.configurations.sorted { $0.key < $1.key }.compactMap { handle, value in
            let isValid = hasMissedChange ? handle == serviceChanged : table.accepts(value, ofValue: handle)
            return isValid ? Server.Configuration(valueHandle: handle, value: value) : nil
        }
        let isAware = record.isChangeAware && !hasMissedChange
        self.init(configurations, ChangeAwareness(features: record.features, isAware: isAware), table)
        self.hasMissedChange = hasMissedChange
    }
}

extension Server {
    /// What is to be kept of the client, which knows the attributes of `table`.
    ///
    /// A change-unaware client gets Database Out Of Sync again in its next connection.
    public func bondedClient(knowing table: AttributeTable) -> BondedClient {
        let kept = ChangeAwareness(features: awareness.features, isAware: awareness.isAware)
        return BondedClient(configurations, kept, table)
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
        if client.hasMissedChange { announceChange(of: .all, in: table, at: now, pool: &pool, into: &outbox) }
    }
}
