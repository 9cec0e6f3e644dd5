package import Basics
package import Bluetooth

/// A transmitted value, in 24 octets; one is recorded for each notification. The value's octets are in the chunk.
package struct ValueRecord: Hashable, Sendable {
    package let instant: Instant
    /// Offset of the octets in the chunk.
    fileprivate let offset: UInt32
    fileprivate let count: UInt16
    /// Number of the device, from 0.
    package let device: UInt16
    /// The caller's number of the value.
    package let valueIndex: UInt16
    /// Index of the peer in the chunk's `peers`; 0xFFFF for none.
    fileprivate let peer: UInt16
    package let handle: UInt16
    package let event: EventName
}

/// Formats the numbers of `ValueRecord`s; used only when a log is written.
package struct ValueFormatter: Sendable {
    fileprivate let entity: @Sendable (_ device: Int, _ valueIndex: Int) -> String
    fileprivate let value: Value
    fileprivate let samples: Samples

    /// Appends the decoded value as JSON; returns false if the octets have no meaning.
    package typealias Value =
        @Sendable (
            _ device: Int, _ valueIndex: Int, _ octets: ArraySlice<UInt8>, _ text: inout JSONText
        ) -> Bool

    /// The samples of a value in microvolts; nil for a value without samples.
    package typealias Samples =
        @Sendable (_ device: Int, _ valueIndex: Int, _ octets: ArraySlice<UInt8>) -> [Int32]?

    /// A formatter; `entity` returns names as in scenarios.
    package init(
        entity: @escaping @Sendable (_ device: Int, _ valueIndex: Int) -> String,
        value: @escaping Value, samples: @escaping Samples = { _, _, _ in nil }
    ) {
        (self.entity, self.value, self.samples) = (entity, value, samples)
    }
}

/// A value that a device sent or received, with the samples that the log omits.
package struct TransmittedValue: Hashable, Sendable {
    /// Number of the device, from 0.
    package let device: Int
    package let record: EventRecord
    /// In microvolts; nil for a value without samples.
    package let samples: [Int32]?
}

/// Entries of the journal in order.
package struct EventChunk: Sendable {
    fileprivate enum Entry: Sendable {
        case value(ValueRecord)
        case line(LineRecord)
        /// Any other event, by its index in `records`.
        case record(Int)
        /// A message of a program's bus, by its index in `buses`.
        case bus(Int)
    }

    /// A line printed by a client; its text is in the chunk.
    fileprivate struct LineRecord: Sendable {
        let instant: Instant
        let offset: Int
        let count: Int
    }

    fileprivate var entries: [Entry] = []
    fileprivate var records: [EventRecord] = []
    fileprivate var buses: [BusRecord] = []
    /// The octets of values and the text of lines.
    fileprivate var content = JSONText()
    fileprivate var peers: [DeviceAddress] = []  // of values; few at a time

    package var count: Int { entries.count }

    fileprivate func peer(of value: ValueRecord) -> DeviceAddress? {
        peers.indices.contains(Int(value.peer)) ? peers[Int(value.peer)] : nil
    }

    private func octets(of value: ValueRecord) -> ArraySlice<UInt8> {
        content.octets.dropFirst(Int(value.offset)).prefix(Int(value.count))
    }

    private func octets(of line: LineRecord) -> ArraySlice<UInt8> {
        content.octets.dropFirst(line.offset).prefix(line.count)
    }

    /// Appends one line per entry to `text`.
    package func write(in wording: ValueFormatter, to text: inout JSONText) {
        var subject = Subject()
        for entry in entries {
            switch entry {
            case .record(let index): records[index].write(to: &text)
            case .bus(let index): buses[index].write(to: &text)
            case .line(let line): write(line, to: &text)
            case .value(let value):
                subject.update(for: value, of: peer(of: value), in: wording)
                write(value, of: subject, in: wording, to: &text)
            }
            text.append("\n")
        }
    }

    /// The members of a line that are often the same for consecutive values, cached.
    private struct Subject {
        private var value: ValueRecord?
        private(set) var text = JSONText()

        mutating func update(for next: ValueRecord, of peer: DeviceAddress?, in wording: ValueFormatter) {
            if let value, value.device == next.device, value.valueIndex == next.valueIndex, value.peer == next.peer,
                value.handle == next.handle
            {
                return
            }
            value = next
            text.removeAll()
            text.append(member: "of", quoted: wording.entity(Int(next.device), Int(next.valueIndex)))
            if let peer { text.append(peer: peer) }
            text.append(handle: next.handle)
        }
    }

    private func write(_ line: LineRecord, to text: inout JSONText) {
        text.begin(.said, at: line.instant)
        text.append(member: "of", quoted: "client")
        text.append(member: "line")
        text.append(octets(of: line))
        text.append("}")
    }

    private func write(
        _ value: ValueRecord, of subject: Subject, in wording: ValueFormatter, to text: inout JSONText
    ) {
        let octets = self.octets(of: value)
        text.begin(value.event, at: value.instant)
        text.append(subject.text.octets)
        let before = text.count
        text.append(member: "value")
        if !wording.value(Int(value.device), Int(value.valueIndex), octets, &text) { text.truncate(to: before) }
        text.append(hex: octets)
        text.append("}")
    }
}

extension EventChunk {
    /// What identifies an entry among those of other runs in this process.
    package struct Fingerprint: Hashable, Sendable {
        package let instant: Instant
        private let hash: Int

        fileprivate init(_ instant: Instant, _ hasher: Hasher) { (self.instant, hash) = (instant, hasher.finalize()) }
    }

    /// The fingerprints of all entries: two runs have the same ones for as long as the same happens in both.
    package var fingerprints: [Fingerprint] {
        entries.map { entry in
            var hasher = Hasher()
            switch entry {
            case .record(let index):
                hasher.combine(records[index])
                return Fingerprint(records[index].instant, hasher)
            case .bus(let index):
                hasher.combine(buses[index])
                return Fingerprint(buses[index].instant, hasher)
            case .line(let line):
                hasher.combine(octets(of: line))
                return Fingerprint(line.instant, hasher)
            case .value(let value):
                hasher.combine(value)
                hasher.combine(peer(of: value))
                hasher.combine(octets(of: value))
                return Fingerprint(value.instant, hasher)
            }
        }
    }

    /// The records of the events that `isIncluded` selects, except for the lines printed by a client.
    package func records(where isIncluded: (EventName) -> Bool, in wording: ValueFormatter) -> [EventRecord] {
        entries.compactMap { entry in
            switch entry {
            case .record(let index): isIncluded(records[index].event) ? records[index] : nil
            case .line, .bus: nil
            case .value(let value): isIncluded(value.event) ? record(of: value, in: wording) : nil
            }
        }
    }

    /// The records of the events without octets that `isIncluded` selects.
    package func plainRecords(where isIncluded: (EventName) -> Bool) -> [EventRecord] {
        records.filter { isIncluded($0.event) }
    }

    /// The names and instants of the values in the kinds of event that `isIncluded` selects; decodes none.
    package func arrivals(
        where isIncluded: (EventName) -> Bool, in wording: ValueFormatter
    ) -> [(entity: String, at: Instant)] {
        entries.compactMap { entry in
            guard case .value(let value) = entry, isIncluded(value.event) else { return nil }
            return (wording.entity(Int(value.device), Int(value.valueIndex)), value.instant)
        }
    }

    /// The lines printed by a client, as JSON.
    package var lines: [(instant: Instant, octets: ArraySlice<UInt8>)] {
        entries.compactMap { entry in
            guard case .line(let line) = entry else { return nil }
            return (line.instant, octets(of: line))
        }
    }

    /// The values of some devices, by number, in the kinds of event that `isIncluded` selects.
    package func values(
        where isIncluded: (EventName) -> Bool, of devices: Set<Int>, in wording: ValueFormatter
    ) -> [TransmittedValue] {
        entries.compactMap { entry in
            guard case .value(let value) = entry, isIncluded(value.event), devices.contains(Int(value.device)) else {
                return nil
            }
            let octets = self.octets(of: value)
            return TransmittedValue(
                device: Int(value.device), record: record(of: value, in: wording),
                samples: wording.samples(Int(value.device), Int(value.valueIndex), octets))
        }
    }

    private func record(of value: ValueRecord, in wording: ValueFormatter) -> EventRecord {
        let (device, valueIndex) = (Int(value.device), Int(value.valueIndex))
        let octets = self.octets(of: value)
        var record = EventRecord(value.event, of: wording.entity(device, valueIndex), at: value.instant)
        var text = JSONText()
        if wording.value(device, valueIndex, octets, &text) { record.value = text.string }
        record.peer = peer(of: value)
        (record.handle, record.octets) = (value.handle, Array(octets))
        return record
    }
}

/// All events in order: the log that reports, traces and expectations read.
///
/// Once its storage has grown to the size of a chunk, appending a value does not allocate. The journal holds at most
/// one chunk; a full chunk is passed to the sink.
package struct EventJournal: Sendable {
    /// Processes a chunk; must not keep it.
    package typealias Sink = @Sendable (EventChunk) -> Void

    private static let octetsPerChunk = 1 << 16

    private var chunk = EventChunk()
    private let entriesPerChunk: Int
    private let sink: Sink?

    /// A journal; without a sink nothing is recorded.
    package init(entriesPerChunk: Int = 256, sink: Sink?) {
        (self.entriesPerChunk, self.sink) = (entriesPerChunk, sink)
    }

    package mutating func append(_ record: EventRecord) {
        guard sink != nil else { return }
        chunk.records.append(record)
        add(.record(chunk.records.count - 1))
    }

    package mutating func append(_ record: BusRecord) {
        guard sink != nil else { return }
        chunk.buses.append(record)
        add(.bus(chunk.buses.count - 1))
    }

    /// Appends a transmitted value: the octets of `packet` after its first `header` octets. The caller keeps the
    /// packet.
    package mutating func append(
        _ event: EventName, device: Int, valueIndex: Int, peer: DeviceAddress?, handle: UInt16,
        _ packet: Packet, droppingFirst header: Int = 0, in pool: borrowing PacketPool, at now: Instant
    ) {
        guard sink != nil else { return }
        let value = pool.slice(of: packet).dropFirst(header)
        append(event, device: device, valueIndex: valueIndex, peer: peer, handle: handle, value, at: now)
    }

    package mutating func append(
        _ event: EventName, device: Int, valueIndex: Int, peer: DeviceAddress?, handle: UInt16,
        _ octets: ArraySlice<UInt8>,
        at now: Instant
    ) {
        guard sink != nil else { return }
        let value = octets.prefix(Int(UInt16.max))
        let record = ValueRecord(
            instant: now, offset: UInt32(chunk.content.count), count: UInt16(value.count),
            device: UInt16(truncatingIfNeeded: device), valueIndex: UInt16(truncatingIfNeeded: valueIndex),
            peer: number(of: peer), handle: handle, event: event)
        chunk.content.append(value)
        add(.value(record))
    }

    package mutating func append(line: some JSONWritable, at now: Instant) {
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

    /// The index of a peer in the chunk, to which it is added if necessary.
    private mutating func number(of peer: DeviceAddress?) -> UInt16 {
        guard let peer else { return .max }
        for index in chunk.peers.indices where chunk.peers[index] == peer { return UInt16(clamping: index) }
        guard chunk.peers.count < Int(UInt16.max) else { return .max }
        chunk.peers.append(peer)
        return UInt16(clamping: chunk.peers.count - 1)
    }

    /// Passes the remaining entries to the sink.
    package mutating func flush() {
        guard let sink, !chunk.entries.isEmpty else { return }
        sink(chunk)
        chunk.entries.removeAll(keepingCapacity: true)
        chunk.records.removeAll(keepingCapacity: true)
        chunk.buses.removeAll(keepingCapacity: true)
        chunk.content.removeAll()
        chunk.peers.removeAll(keepingCapacity: true)
    }
}
