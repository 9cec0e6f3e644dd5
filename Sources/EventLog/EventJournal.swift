public import Bluetooth
public import Octets
public import Simulation

/// A value on its way, in 24 octets: what is recorded of each notification.  Its octets lie in the chunk.
public struct ValueRecord: Hashable, Sendable {
    /// When it happened.
    public let instant: Instant
    /// Where its octets begin in those of its chunk.
    fileprivate let offset: UInt32
    fileprivate let count: UInt16
    /// The device whose value it is, counted from 0.
    public let device: UInt16
    /// The part of the device that has the value; numbers of the caller's choice.
    public let part: UInt16
    /// The other side of the link: which of the chunk's `peers`; 0xFFFF for nobody.
    fileprivate let peer: UInt16
    /// The attribute's handle.
    public let handle: UInt16
    /// What happened.
    public let event: EventName
}

/// How the numbers of a `ValueRecord` are said in words; asked when a line is written, never before.
public struct ValueWording: Sendable {
    fileprivate let thing: @Sendable (_ device: Int, _ part: Int) -> String
    fileprivate let value: @Sendable (_ device: Int, _ part: Int, _ octets: ArraySlice<UInt8>) -> String?

    /// `thing` is as scenarios name it, `value` as JSON text; nil where there is nothing to say.
    public init(
        thing: @escaping @Sendable (_ device: Int, _ part: Int) -> String,
        value: @escaping @Sendable (_ device: Int, _ part: Int, _ octets: ArraySlice<UInt8>) -> String?
    ) {
        (self.thing, self.value) = (thing, value)
    }
}

/// Some entries of the journal, in the order in which they happened.
public struct EventChunk: Sendable {
    /// One thing that happened: in short, or with everything that can be said.
    public enum Entry: Sendable {
        /// A value on its way.
        case value(ValueRecord)
        /// Anything else, by its place among `records`.
        case record(Int)
    }

    /// In the order in which they happened.
    public fileprivate(set) var entries: [Entry] = []
    /// What `Entry.record` counts in.
    public fileprivate(set) var records: [EventRecord] = []
    fileprivate var octets: [UInt8] = []
    fileprivate var peers: [DeviceAddress] = []  // of values; few at a time

    /// The octets of a value in this chunk.
    public func octets(of value: ValueRecord) -> ArraySlice<UInt8> {
        octets.dropFirst(Int(value.offset)).prefix(Int(value.count))
    }

    /// The other side of the link that a value went over.
    public func peer(of value: ValueRecord) -> DeviceAddress? {
        peers.indices.contains(Int(value.peer)) ? peers[Int(value.peer)] : nil
    }

    /// Every entry with everything that can be said about it.
    public func records(in wording: ValueWording) -> [EventRecord] {
        entries.map { entry in
            switch entry {
            case .record(let index): records[index]
            case .value(let value): record(of: value, in: wording)
            }
        }
    }

    private func record(of value: ValueRecord, in wording: ValueWording) -> EventRecord {
        let (device, part) = (Int(value.device), Int(value.part))
        let octets = octets(of: value)
        var record = EventRecord(value.event, of: wording.thing(device, part), at: value.instant)
        record.peer = peer(of: value)
        record.handle = value.handle
        record.value = wording.value(device, part, octets)
        record.octets = Array(octets)
        return record
    }
}

/// Everything that happened, in order: the one log that reports, traces and expectations read.
///
/// Adding a value allocates nothing once the storage has grown to a chunk.  The journal never holds more than one
/// chunk: a full one goes to the sink.
public struct EventJournal: Sendable {
    /// Takes a chunk, and is done with it when it returns.
    public typealias Sink = @Sendable (EventChunk) -> Void

    private static let octetsPerChunk = 1 << 20

    private var chunk = EventChunk()
    private let entriesPerChunk: Int
    private let sink: Sink?

    /// Without a sink nothing is kept.
    public init(entriesPerChunk: Int = 16_384, sink: Sink?) {
        (self.entriesPerChunk, self.sink) = (entriesPerChunk, sink)
    }

    /// Adds what happened.
    public mutating func append(_ record: EventRecord) {
        guard sink != nil else { return }
        chunk.entries.append(.record(chunk.records.count))
        chunk.records.append(record)
        if chunk.entries.count >= entriesPerChunk { flush() }
    }

    /// Adds that a value went its way.  `packet` stays the caller's; the value is what it has behind its first
    /// `header` octets.
    public mutating func append(
        _ event: EventName, device: Int, part: Int, peer: DeviceAddress?, handle: UInt16,
        _ packet: Packet, droppingFirst header: Int = 0, in pool: borrowing PacketPool, at now: Instant
    ) {
        guard sink != nil else { return }
        let value = pool.slice(of: packet).dropFirst(header)
        let record = ValueRecord(
            instant: now, offset: UInt32(chunk.octets.count), count: UInt16(clamping: value.count),
            device: UInt16(truncatingIfNeeded: device), part: UInt16(truncatingIfNeeded: part),
            peer: number(of: peer), handle: handle, event: event)
        chunk.octets.append(contentsOf: value)
        chunk.entries.append(.value(record))
        if chunk.entries.count >= entriesPerChunk || chunk.octets.count >= Self.octetsPerChunk { flush() }
    }

    /// Where a peer stands in the chunk; who is not there yet is added.
    private mutating func number(of peer: DeviceAddress?) -> UInt16 {
        guard let peer else { return .max }
        for index in chunk.peers.indices where chunk.peers[index] == peer { return UInt16(clamping: index) }
        guard chunk.peers.count < Int(UInt16.max) else { return .max }
        chunk.peers.append(peer)
        return UInt16(clamping: chunk.peers.count - 1)
    }

    /// Hands over what has not been handed over yet.
    public mutating func flush() {
        guard let sink, !chunk.entries.isEmpty else { return }
        sink(chunk)
        chunk.entries.removeAll(keepingCapacity: true)
        chunk.records.removeAll(keepingCapacity: true)
        chunk.octets.removeAll(keepingCapacity: true)
        chunk.peers.removeAll(keepingCapacity: true)
    }
}
