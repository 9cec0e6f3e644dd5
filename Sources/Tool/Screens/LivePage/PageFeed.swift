import Basics
import Bluetooth
import Cases
package import ScenarioModel
import Synchronization

/// The news since the last frame of the page: events, and the values that devices sent.
///
/// While nobody looks, only the last events are kept. A frame counts the events and values for which it has no room.
package final class PageFeed: Sendable {
    /// The content of one frame.
    struct News: Hashable, Sendable {
        /// Events, as JSON objects.
        var events: [String] = []
        /// The values that were sent, as JSON objects; those with samples have them in microvolts.
        var values: [Value] = []
        /// How many events and values did not fit.
        var omitted = 0

        /// A value that a device, by its index, has sent.
        struct Value: Hashable, Sendable {
            let device: Int
            let json: String
        }

        var isEmpty: Bool { events.isEmpty && values.isEmpty && omitted == 0 }
    }

    fileprivate struct State {
        var news = News()
        var samples = 0  // in the news
        var recent: [String] = []
        /// The indices of the devices that pages show; nil while nobody looks.
        var watched: Set<Int>?
        /// The client whose copies of a value are told, by the value's path: all clients get the same.
        var followed: [String: DeviceAddress?] = [:]
    }

    /// The events that a page shows at first.
    static let recentEvents = 100
    static let eventsPerFrame = 100
    static let valuesPerFrame = 500
    static let samplesPerFrame = 20_000

    /// Events of which there can be many per second; their values are told separately.
    private static let untold: Set<EventName> = [.notified, .delivered, .indicated, .confirmed, .said]
    private static let sent: Set<EventName> = [.notified, .indicated]

    private let wording: ValueFormatter
    private let state = Mutex(State())

    package init(_ wording: ValueFormatter) { self.wording = wording }

    /// Takes what the journal has recorded.
    package func take(_ chunk: EventChunk) {
        let records = chunk.records(where: { !Self.untold.contains($0) }, in: wording)
        let watched = state.withLock { state in
            for record in state.watched == nil ? records.suffix(Self.recentEvents) : records[...] { state.add(record) }
            return state.watched
        }
        guard let watched, !watched.isEmpty else { return }
        let values = chunk.values(where: Self.sent.contains, of: watched, in: wording)
        state.withLock { state in
            for value in values { state.add(value) }
        }
    }

    /// The last events, for a page that has just been opened.
    func recent() -> [String] { state.withLock { $0.recent } }

    /// The news since the last call; from now on, the values of these devices are told. Nil: nobody looks.
    func takeNews(of watched: Set<Int>?) -> News {
        state.withLock { state in
            if state.watched != watched { state.followed = [:] }
            state.watched = watched
            defer { (state.news, state.samples) = (News(), 0) }
            return state.news
        }
    }
}

extension PageFeed.State {
    fileprivate mutating func add(_ record: EventRecord) {
        if record.event == .disconnected || record.event == .unsubscribed {
            followed = followed.filter { $0.value != record.peer }
        }
        let (who, what) = record.words
        let event = "{\"t\": \(record.instant), \"who\": \(who.quoted), \"what\": \(what.quoted)}"
        recent.append(event)
        if recent.count > PageFeed.recentEvents { recent.removeFirst() }
        guard watched != nil else { return }
        if news.events.count < PageFeed.eventsPerFrame { news.events.append(event) } else { news.omitted += 1 }
    }

    fileprivate mutating func add(_ value: TransmittedValue) {
        let record = value.record
        guard let path = record.entity, followed[path, default: record.peer] == record.peer else { return }
        followed[path] = .some(record.peer)
        let count = value.samples?.count ?? 0
        guard news.values.count < PageFeed.valuesPerFrame, samples + count <= PageFeed.samplesPerFrame else {
            news.omitted += 1
            return
        }
        samples += count
        var text = "{\"t\": \(record.instant), \"of\": \(path.quoted)"
        if let octets = record.octets { text += ", \"octets\": \(octets.count)" }
        if let samples = value.samples {
            text += ", \"samples\": [\(samples.map { "\($0)" }.joined(separator: ","))]"
        } else if let json = record.value {
            text += ", \"value\": \(json)"
        }
        news.values.append(.init(device: value.device, json: text + "}"))
    }
}
