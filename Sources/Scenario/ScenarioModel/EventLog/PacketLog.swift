package import Basics
package import Bluetooth

/// An HCI packet or a change of a controller, in 24 octets; the packet's octets are in the chunk.
package struct PacketRecord: Hashable, Sendable {
    /// The type of a record. Raw values are opcodes of the Linux monitor: BlueZ, `src/shared/btsnoop.h`.
    package enum Kind: UInt8, Sendable {
        /// A controller was added: type, bus, address (6 octets), name (8 octets).
        case newIndex = 0
        /// A controller was removed.
        case deleteIndex = 1
        /// HCI Command, host to controller.
        case command = 2
        /// HCI Event, controller to host.
        case event = 3
        /// ACL Data, host to controller.
        case aclToController = 4
        /// ACL Data, controller to host.
        case aclToHost = 5
        /// A host opened the controller.
        case openIndex = 8
        /// The host closed the controller.
        case closeIndex = 9
    }

    /// When the packet passed between host and controller.
    package let instant: Instant
    /// Offset of the octets in the chunk.
    package let offset: UInt32
    /// Number of octets, without the H4 packet indicator.
    package let count: UInt16
    /// Number of the controller, from 0.
    package let controller: UInt16
    package let kind: Kind
}

/// Consecutive packet records and their octets.
package struct PacketChunk: Sendable {
    /// The records in order.
    package fileprivate(set) var records: [PacketRecord] = []
    fileprivate var octets: [UInt8] = []

    /// The octets of one of `records`.
    package func octets(of record: PacketRecord) -> ArraySlice<UInt8> {
        octets.dropFirst(Int(record.offset)).prefix(Int(record.count))
    }
}

/// All HCI packets of all controllers, as compact records for text and trace files.
///
/// Once its storage has grown to the size of a chunk, appending does not allocate. The log holds at most one chunk; a
/// full chunk is passed to the sink.
package struct PacketLog: Sendable {
    /// Processes a chunk; must not keep it.
    package typealias Sink = @Sendable (PacketChunk) -> Void

    private static let octetsPerChunk = 1 << 16

    private var chunk = PacketChunk()
    private let recordsPerChunk: Int
    private let sink: Sink?

    /// A log; without a sink nothing is recorded.
    package init(recordsPerChunk: Int = 1024, sink: Sink?) {
        (self.recordsPerChunk, self.sink) = (recordsPerChunk, sink)
    }

    /// Appends a copy of a packet without its H4 packet indicator. The caller keeps the packet.
    package mutating func append(
        _ kind: PacketRecord.Kind, controller: Int, _ packet: Packet, in pool: borrowing PacketPool, at now: Instant
    ) {
        guard sink != nil else { return }
        let offset = chunk.octets.count
        pool.copy(packet, to: &chunk.octets)
        add(kind, controller: controller, from: offset, at: now)
    }

    /// Appends a packet with these octets, without H4 packet indicator.
    package mutating func append(
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

    /// Appends that a controller was added and opened; required before its first packet. Only the first 7 octets of
    /// `name` are recorded.
    package mutating func open(controller: Int, _ address: DeviceAddress, name: String, at now: Instant) {
        let text = name.utf8.prefix(7)
        let octets = [0, 0] + address.octets + text + repeatElement(0, count: 8 - text.count)
        append(.newIndex, controller: controller, octets[...], at: now)
        append(.openIndex, controller: controller, [], at: now)
    }

    package mutating func close(controller: Int, at now: Instant) {
        append(.closeIndex, controller: controller, [], at: now)
        append(.deleteIndex, controller: controller, [], at: now)
    }

    /// Passes the remaining records to the sink.
    package mutating func flush() {
        guard let sink, !chunk.records.isEmpty else { return }
        sink(chunk)
        chunk.records.removeAll(keepingCapacity: true)
        chunk.octets.removeAll(keepingCapacity: true)
    }
}
