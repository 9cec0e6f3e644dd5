import Basics
import Bluetooth
import ScenarioModel
import Synchronization
import Testing

@testable import Screens

@Suite struct PageFeedTests {
    private static let clients = [DeviceAddress(1, .public), DeviceAddress(2, .public)]

    private static let wording = ValueFormatter(
        entity: { device, value in "strap\(device)/value\(value)" },
        value: { _, _, octets, text in
            text.append(text: "{\"bpm\": \(octets.first ?? 0)}")
            return true
        },
        samples: { _, value, octets in value == 9 ? octets.map(Int32.init) : nil })

    /// A feed, and its journal.
    private static func feed() -> (PageFeed, EventJournal) {
        let feed = PageFeed(wording)
        return (feed, EventJournal { chunk in feed.take(chunk) })
    }

    private static func send(
        _ octets: [UInt8], device: Int = 0, value: Int = 0, to client: Int = 0, _ event: EventName = .notified,
        in journal: inout EventJournal
    ) {
        journal.append(
            event, device: device, valueIndex: value, peer: clients[client], handle: 3, octets[...],
            at: Instant(nanoseconds: 1_500_000_000))
    }

    private static func happen(_ event: EventName, client: Int = 0, in journal: inout EventJournal) {
        var record = EventRecord(event, of: "strap0", at: Instant(nanoseconds: 2_000_000_000))
        record.peer = clients[client]
        journal.append(record)
    }

    @Test func `Whoever looks is told events and values once`() {
        var (feed, journal) = Self.feed()
        #expect(feed.takeNews(of: [0]).isEmpty)
        Self.send([62], in: &journal)
        Self.send([7, 8, 255], value: 9, .indicated, in: &journal)
        Self.send([63], .delivered, in: &journal)
        Self.happen(.connected, in: &journal)
        journal.flush()
        let news = feed.takeNews(of: [0])
        #expect(
            news.values.map(\.json) == [
                #"{"t": 1.500000, "of": "strap0/value0", "octets": 1, "value": {"bpm": 62}}"#,
                #"{"t": 1.500000, "of": "strap0/value9", "octets": 3, "samples": [7,8,255]}"#,
            ])
        #expect(news.events.count == 1)
        #expect(news.events.first?.hasPrefix(#"{"t": 2.000000, "who": "strap0", "what": "connected to "#) == true)
        #expect(feed.takeNews(of: [0]).isEmpty)
        #expect(feed.recent() == news.events)
    }

    @Test func `Only the values of the devices that pages show are decoded`() {
        let decoded = Mutex(0)
        let feed = PageFeed(
            ValueFormatter(
                entity: { device, value in "strap\(device)/value\(value)" },
                value: { _, _, _, text in
                    decoded.withLock { $0 += 1 }
                    text.append(text: "1")
                    return true
                }))
        var journal = EventJournal { chunk in feed.take(chunk) }
        _ = feed.takeNews(of: [3, 40])
        for device in 0..<1000 { Self.send([62], device: device, in: &journal) }
        journal.flush()
        #expect(decoded.withLock { $0 } == 2)
        #expect(feed.takeNews(of: []).values.map(\.device) == [3, 40])
        for device in 0..<1000 { Self.send([62], device: device, in: &journal) }
        journal.flush()
        #expect(decoded.withLock { $0 } == 2)
    }

    @Test func `While nobody looks, only the last events are kept`() {
        var (feed, journal) = Self.feed()
        for _ in 0..<3 * PageFeed.recentEvents {
            Self.send([62], in: &journal)
            Self.happen(.connected, in: &journal)
        }
        journal.flush()
        #expect(feed.takeNews(of: [0]).isEmpty)
        #expect(feed.recent().count == PageFeed.recentEvents)
    }

    @Test func `Of several clients one is followed until it leaves`() {
        var (feed, journal) = Self.feed()
        _ = feed.takeNews(of: [0])
        Self.send([1], to: 0, in: &journal)
        Self.send([2], to: 1, in: &journal)
        Self.send([3], value: 1, to: 1, in: &journal)
        journal.flush()
        #expect(feed.takeNews(of: [0]).values.count == 2)
        Self.happen(.disconnected, client: 0, in: &journal)
        journal.flush()
        Self.send([4], to: 1, in: &journal)
        journal.flush()
        #expect(feed.takeNews(of: [0]).values.map { $0.json.contains("4") } == [true])
    }

    @Test func `A frame counts what it has no room for`() {
        var (feed, journal) = Self.feed()
        _ = feed.takeNews(of: [0])
        for _ in 0..<PageFeed.valuesPerFrame + 3 { Self.send([62], in: &journal) }
        for _ in 0..<PageFeed.eventsPerFrame + 4 { Self.happen(.connected, in: &journal) }
        journal.flush()
        let news = feed.takeNews(of: [0])
        #expect(news.values.count == PageFeed.valuesPerFrame)
        #expect(news.events.count == PageFeed.eventsPerFrame)
        #expect(news.omitted == 7)
        for _ in 0...PageFeed.samplesPerFrame / 500 {
            Self.send([UInt8](repeating: 0, count: 500), value: 9, in: &journal)
        }
        journal.flush()
        #expect(feed.takeNews(of: [0]).omitted == 1)
    }
}
