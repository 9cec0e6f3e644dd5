public import Bluetooth
public import Octets
public import Simulation

/// One HCI packet, or the coming or going of a controller, in 24 octets; its octets lie in the chunk.
public struct PacketRecord: Hashable, Sendable {
    /// What was seen at the boundary between host and controller.  The raw value is the opcode that the Linux
    /// monitor has for it: BlueZ, `src/shared/btsnoop.h`.
    public enum Kind: UInt8, Sendable {
        /// A controller is there: type, bus, address (6 octets), name (8 octets).
        case newIndex = 0
        /// A controller is gone.
        case deleteIndex = 1
        /// HCI Command, host to controller.
        case command = 2
        /// HCI Event, controller to host.
        case event = 3
        /// ACL Data, host to controller.
        case aclToController = 4
        /// ACL Data, controller to host.
        case aclToHost = 5
        /// A host uses the controller from now on.
        case openIndex = 8
        /// The host does not use it any more.
        case closeIndex = 9
    }

    /// When it passed.
    public let instant: Instant
    /// Where its octets begin in those of its chunk.
    public let offset: UInt32
    /// How many octets it has, without H4's packet indicator.
    public let count: UInt16
    /// The controller, counted from 0.
    public let controller: UInt16
    /// What it is.
    public let kind: Kind
}

/// Some packet records one after the other, and the octets of all of them.
public struct PacketChunk: Sendable {
    /// In the order in which they were seen.
    public fileprivate(set) var records: [PacketRecord] = []
    fileprivate var octets: [UInt8] = []

    /// The octets of one of `records`; empty for a record of another chunk that reaches beyond the end.
    public func octets(of record: PacketRecord) -> ArraySlice<UInt8> {
        octets.dropFirst(Int(record.offset)).prefix(Int(record.count))
    }
}

/// Every HCI packet of every controller: compact records that are made into text or files by who reads them.
///
/// Appending allocates nothing once the storage has grown to a chunk.  The log never holds more than one chunk:
/// a full one goes to the sink.
public struct PacketLog: Sendable {
    /// Takes a chunk, and is done with it when it returns.
    public typealias Sink = @Sendable (PacketChunk) -> Void

    private static let octetsPerChunk = 1 << 16

    private var chunk = PacketChunk()
    private let recordsPerChunk: Int
    private let sink: Sink?

    /// Without a sink nothing is kept.
    public init(recordsPerChunk: Int = 1024, sink: Sink?) {
        (self.recordsPerChunk, self.sink) = (recordsPerChunk, sink)
    }

    /// Adds a packet, which stays the caller's; its octets are copied, and begin behind H4's packet indicator.
    public mutating func append(
        _ kind: PacketRecord.Kind, controller: Int, _ packet: Packet, in pool: borrowing PacketPool, at now: Instant
    ) {
        guard sink != nil else { return }
        let offset = chunk.octets.count
        pool.copy(packet, to: &chunk.octets)
        add(kind, controller: controller, from: offset, at: now)
    }

    /// Adds a packet of these octets, which begin behind H4's packet indicator.
    public mutating func append(
        _ kind: PacketRecord.Kind, controller: Int, _ octets: ArraySlice<UInt8>, at now: Instant
    ) {
        guard sink != nil else { return }
        let offset = chunk.octets.count
        chunk.octets.append(contentsOf: octets.prefix(Int(UInt16.max)))
        add(kind, controller: controller, from: offset, at: now)
    }

    private mutating func add(_ kind: PacketRecord.Kind, controller: Int, from offset: Int, at now: Instant) {
        let record = PacketRecord(
            instant: now, offset: UInt32(offset), count: UInt16(chunk.octets.count - offset),
            controller: UInt16(truncatingIfNeeded: controller), kind: kind)
        chunk.records.append(record)
        if chunk.records.count >= recordsPerChunk || chunk.octets.count >= Self.octetsPerChunk { flush() }
    }

    /// Adds that a controller is there and a host uses it; this must come before its packets.
    ///
    /// Of `name`, the first 7 octets are kept.
    public mutating func open(controller: Int, _ address: DeviceAddress, name: String, at now: Instant) {
        let text = name.utf8.prefix(7)
        let octets = [0, 0] + address.octets + text + repeatElement(0, count: 8 - text.count)
        append(.newIndex, controller: controller, octets[...], at: now)
        append(.openIndex, controller: controller, [], at: now)
    }

    /// Adds that the host of a controller is gone, and the controller with it.
    public mutating func close(controller: Int, at now: Instant) {
        append(.closeIndex, controller: controller, [], at: now)
        append(.deleteIndex, controller: controller, [], at: now)
    }

    /// Hands over what has not been handed over yet.
    public mutating func flush() {
        guard let sink, !chunk.records.isEmpty else { return }
        sink(chunk)
        chunk.records.removeAll(keepingCapacity: true)
        chunk.octets.removeAll(keepingCapacity: true)
    }
}
