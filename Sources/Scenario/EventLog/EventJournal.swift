public import Bluetooth
public import Octets
public import Simulation
public import Spelling

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
    fileprivate let entity: @Sendable (_ device: Int, _ part: Int) -> String
    fileprivate let value: Value

    /// Adds the value that octets mean as JSON, and says whether there is one.
    public typealias Value =
        @Sendable (
            _ device: Int, _ part: Int, _ octets: ArraySlice<UInt8>, _ text: inout JSONText
        ) -> Bool

    /// `entity` is as scenarios name it.
    public init(
        entity: @escaping @Sendable (_ device: Int, _ part: Int) -> String,
        value: @escaping Value
    ) {
        (self.entity, self.value) = (entity, value)
    }
}

/// Some entries of the journal, in the order in which they happened.
public struct EventChunk: Sendable {
    fileprivate enum Entry: Sendable {
        case value(ValueRecord)
        case line(LineRecord)
        /// Anything else, by its place among `records`.
        case record(Int)
    }

    /// A line that somebody said, in the chunk's text.
    fileprivate struct LineRecord: Sendable {
        let instant: Instant
        let offset: Int
        let count: Int
    }

    fileprivate var entries: [Entry] = []
    fileprivate var records: [EventRecord] = []
    /// The octets of values, and the text of lines.
    fileprivate var content = JSONText()
    fileprivate var peers: [DeviceAddress] = []  // of values; few at a time

    /// How many entries there are.
    public var count: Int { entries.count }

    /// The other side of the link that a value went over.
    fileprivate func peer(of value: ValueRecord) -> DeviceAddress? {
        peers.indices.contains(Int(value.peer)) ? peers[Int(value.peer)] : nil
    }

    /// Adds a line for each entry, with its end, to `text`.
    public func write(in wording: ValueWording, to text: inout JSONText) {
        var subject = Subject()
        for entry in entries {
            switch entry {
            case .record(let index): records[index].write(to: &text)
            case .line(let line): write(line, to: &text)
            case .value(let value):
                subject.become(that: value, of: peer(of: value), in: wording)
                write(value, of: subject, in: wording, to: &text)
            }
            text.append("\n")
        }
    }

    /// What a value is of, in words: the same for one value after the other, so it is kept.
    private struct Subject {
        private var value: ValueRecord?
        private(set) var text = JSONText()

        mutating func become(that next: ValueRecord, of peer: DeviceAddress?, in wording: ValueWording) {
            if let value, value.device == next.device, value.part == next.part, value.peer == next.peer,
                value.handle == next.handle
            {
                return
            }
            value = next
            text.removeAll()
            text.append(member: "of", quoted: wording.entity(Int(next.device), Int(next.part)))
            if let peer { text.append(peer: peer) }
            text.append(handle: next.handle)
        }
    }

    private func write(_ line: LineRecord, to text: inout JSONText) {
        text.begin(.said, at: line.instant)
        text.append(member: "of", quoted: "client")
        text.append(member: "line")
        text.append(content.octets[line.offset..<line.offset + line.count])
        text.append("}")
    }

    private func write(
        _ value: ValueRecord, of subject: Subject, in wording: ValueWording, to text: inout JSONText
    ) {
        let octets = content.octets[Int(value.offset)..<Int(value.offset) + Int(value.count)]
        text.begin(value.event, at: value.instant)
        text.append(subject.text.octets)
        let before = text.count
        text.append(member: "value")
        if !wording.value(Int(value.device), Int(value.part), octets, &text) { text.truncate(to: before) }
        text.append(hex: octets)
        text.append("}")
    }
}

extension EventChunk {
    /// The entries of the events that `isMeant` picks, for who says them in words of their own; without the lines that
    /// a client said.
    public func records(where isMeant: (EventName) -> Bool, in wording: ValueWording) -> [EventRecord] {
        entries.compactMap { entry in
            switch entry {
            case .record(let index): isMeant(records[index].event) ? records[index] : nil
            case .line: nil
            case .value(let value): isMeant(value.event) ? record(of: value, in: wording) : nil
            }
        }
    }

    /// The lines that a client said, as JSON.
    public var lines: [(instant: Instant, octets: ArraySlice<UInt8>)] {
        entries.compactMap { entry in
            guard case .line(let line) = entry else { return nil }
            return (line.instant, content.octets[line.offset..<line.offset + line.count])
        }
    }

    private func record(of value: ValueRecord, in wording: ValueWording) -> EventRecord {
        let (device, part) = (Int(value.device), Int(value.part))
        let octets = content.octets[Int(value.offset)..<Int(value.offset) + Int(value.count)]
        var record = EventRecord(value.event, of: wording.entity(device, part), at: value.instant)
        var text = JSONText()
        if wording.value(device, part, octets, &text) { record.value = text.string }
        record.peer = peer(of: value)
        (record.handle, record.octets) = (value.handle, Array(octets))
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

    private static let octetsPerChunk = 1 << 16

    private var chunk = EventChunk()
    private let entriesPerChunk: Int
    private let sink: Sink?

    /// Without a sink nothing is kept.
    public init(entriesPerChunk: Int = 256, sink: Sink?) {
        (self.entriesPerChunk, self.sink) = (entriesPerChunk, sink)
    }

    /// Adds what happened.
    public mutating func append(_ record: EventRecord) {
        guard sink != nil else { return }
        chunk.records.append(record)
        add(.record(chunk.records.count - 1))
    }

    /// Adds that a value went its way.  `packet` stays the caller's; the value is what it has behind its first
    /// `header` octets.
    public mutating func append(
        _ event: EventName, device: Int, part: Int, peer: DeviceAddress?, handle: UInt16,
        _ packet: Packet, droppingFirst header: Int = 0, in pool: borrowing PacketPool, at now: Instant
    ) {
        guard sink != nil else { return }
        let value = pool.slice(of: packet).dropFirst(header)
        append(event, device: device, part: part, peer: peer, handle: handle, value, at: now)
    }

    /// Adds that a value of these octets went its way.
    public mutating func append(
        _ event: EventName, device: Int, part: Int, peer: DeviceAddress?, handle: UInt16, _ octets: ArraySlice<UInt8>,
        at now: Instant
    ) {
        guard sink != nil else { return }
        let value = octets.prefix(Int(UInt16.max))
        let record = ValueRecord(
            instant: now, offset: UInt32(chunk.content.count), count: UInt16(value.count),
            device: UInt16(truncatingIfNeeded: device), part: UInt16(truncatingIfNeeded: part),
            peer: number(of: peer), handle: handle, event: event)
        chunk.content.append(value)
        add(.value(record))
    }

    /// Adds a line that the client said; it is written only if somebody reads it.
    public mutating func append(line: some JSONWritable, at now: Instant) {
        guard sink != nil else { return }
        let offset = chunk.content.count
        line.write(to: &chunk.content)
        let count = chunk.content.count - offset
        add(.line(EventChunk.LineRecord(instant: now, offset: offset, count: count)))
    }

    private mutating func add(_ entry: EventChunk.Entry) {
        chunk.entries.append(entry)
        if chunk.entries.count >= entriesPerChunk || chunk.content.count >= Self.octetsPerChunk { flush() }
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
        chunk.content.removeAll()
        chunk.peers.removeAll(keepingCapacity: true)
    }
}
