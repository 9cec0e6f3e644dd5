import Basics
import Bluetooth
import ScenarioLanguage
import ScenarioModel
import Testing

@testable import Conformance

@Suite struct CurveTests {
    private static func curve(_ values: [(Double, Double)]) -> Curve {
        var curve = Curve()
        for (seconds, value) in values { curve.add(value, at: .start.advanced(by: .seconds(seconds))) }
        return curve
    }

    @Test func `Each of a few values is a point`() {
        let curve = Self.curve([(0, 60), (1, 61), (2, .nan), (3, .infinity), (4, 62)])
        #expect(curve.points.map(\.low) == [60, 61, 62])
        #expect(curve.points.map(\.high) == [60, 61, 62])
    }

    @Test(arguments: [1_000, 100_000])
    func `Many values become few points without losing a peak`(count: Int) {
        let values: [(Double, Double)] =
            (0..<count).map { (Double($0) / 100, Double($0 % 7)) } + [(Double(count) / 100, 300)]
        let curve = Self.curve(values)
        #expect(curve.points.count <= 240)
        #expect(curve.points.count >= 100)
        #expect(curve.points.map(\.low).min() == 0)
        #expect(curve.points.map(\.high).max() == 300)
        #expect(zip(curve.points, curve.points.dropFirst()).allSatisfy { $0.instant < $1.instant })
    }

    /// All that a client prints before its first HCI command comes at the start.
    @Test func `Any number of values at one instant are few points, so that each costs little`() {
        var curve = Curve()
        for number in 0..<10_000 {
            curve.add(Double(number), at: .start)
            #expect(curve.points.count <= 240)
        }
        #expect(curve.points.map(\.low).min() == 0 && curve.points.map(\.high).max() == 9_999)
        curve.add(60, at: .start.advanced(by: .seconds(1)))
        #expect(curve.points.last?.low == 60 && curve.points.count <= 240)
    }

    @Test func `A value outside the range of a figure is drawn at the limit`() {
        let curve = Self.curve([(0, 1e17), (1, -1.7e308), (2, 60)])
        #expect(curve.points.map(\.low) == [1e6, -1e6, 60])
    }

    @Test func `A stopped curve has a gap`() {
        var curve = Curve()
        curve.stop()
        curve.add(60, at: .start)
        curve.stop()
        curve.add(61, at: .start.advanced(by: .seconds(1)))
        #expect(curve.points.map(\.isLast) == [true, false])
    }
}

@Suite struct CaseTimelineRecorderTests {
    private static let peer = DeviceAddress(0x0200_0000_0002, .public)

    private static func scenario() throws -> Scenario {
        let text = """
            {"lubdub": 1, "name": "Two", "limit": "60 s",
             "devices": [{"id": "strap", "name": "Strap", "services": [{"service": "heart_rate", "value": 62}]},
                         {"id": "other", "name": "Other", "services": [{"service": "battery", "value": 62}]}],
             "script": [{"id": "lost", "when": "20 s", "do": "link_loss", "of": "strap", "for": "5 s"},
                        {"when": "30 s", "do": "silence", "of": "strap", "for": "5 s"}]}
            """
        return try #require(ScenarioFile.read("x.json", variables: [:]) { _ in Array(text.utf8) }.scenario)
    }

    private static func instant(_ seconds: Double) -> Instant { .start.advanced(by: .seconds(seconds)) }

    /// The timeline of some records and client lines.
    private static func timeline(
        _ records: [(seconds: Double, event: EventName, entity: String, value: String?, rule: String?)],
        lines: [(seconds: Double, text: String)] = [], until end: Double = 60
    ) throws -> CaseTimeline {
        let recorder = CaseTimelineRecorder(
            try scenario(), ValueFormatter(entity: { _, _ in "" }, value: { _, _, _, _ in false }))
        var journal = EventJournal { recorder.take($0) }
        for (seconds, event, entity, value, rule) in records {
            var record = EventRecord(event, of: entity, at: instant(seconds))
            (record.value, record.rule, record.peer) = (value, rule, peer)
            journal.append(record)
        }
        for (seconds, text) in lines { journal.append(line: Line(text: text), at: instant(seconds)) }
        journal.flush()
        return recorder.timeline(until: instant(end))
    }

    private struct Line: JSONWritable {
        let text: String
        func write(to json: inout JSONText) { json.append(text: text) }
    }

    @Test func `A lane has the states of a device without a gap`() throws {
        let timeline = try Self.timeline([
            (0, .advertising, "strap", nil, nil), (2, .connected, "strap", nil, nil),
            (3, .subscribed, "strap", nil, nil),  // Service Changed
            (4, .subscribed, "strap/heart_rate", nil, nil), (20, .began, "lost", nil, "lost"),
            (22, .disconnected, "strap", nil, nil), (22, .advertising, "strap", nil, nil),
            (25, .ended, "lost", nil, "lost"), (27, .connected, "strap", nil, nil),
            (30, .began, "rule 2", nil, "rule 2"), (40, .disconnected, "unknown", nil, nil),
        ])
        let lane = try #require(timeline.lanes.first)
        #expect(timeline.lanes.map(\.name) == ["strap", "other"])
        #expect(lane.spans.map(\.content) == [.advertising, .connected, .subscribed, .away, .advertising, .connected])
        #expect(lane.spans.map(\.begin) == [0, 2, 4, 20, 25, 27].map(Self.instant))
        #expect(lane.spans.map(\.end) == [2, 4, 20, 25, 27, 60].map(Self.instant))
        #expect(timeline.lanes[1].spans.map(\.content) == [.silent])
        #expect(timeline.operations.map(\.content) == ["lost: link_loss", "silence"])
        #expect(timeline.operations.map(\.end) == [25, 60].map(Self.instant))
    }

    @Test func `Heart rates that arrive and heart rates that the client prints are two curves`() throws {
        let timeline = try Self.timeline(
            [
                (1, .delivered, "strap/heart_rate", #"{"bpm": 62, "contact": true}"#, nil),
                (2, .delivered, "strap/heart_rate", #"{"bpm": 300}"#, nil), (3, .delivered, "other/battery", "87", nil),
                (4, .delivered, "strap/heart_rate", #"{"bpm"#, nil),
            ],
            lines: [
                (1.1, #"{"heart_rate": {"bpm": 62}}"#), (2.1, #"{"heart_rate": null}"#), (3, #"{"heart_rate": 7}"#),
                (4, #"{"heart_rate": {"bpm": 64}}"#), (5, #"{"state": "disconnected"}"#), (6, #""garbage""#), (7, "{"),
            ])
        #expect(timeline.lanes[0].heartRate.points.map(\.low) == [62, 300])
        #expect(timeline.shown.points.map(\.low) == [62, 64])
        #expect(timeline.shown.points.map(\.isLast) == [true, true])
        #expect(timeline.printedLines.count == 7)
    }

    @Test func `Some lines of each kind are kept, and the others are counted`() throws {
        let rates = (0..<500).map { (Double($0), #"{"heart_rate": {"bpm": \#($0)}}"#) }
        let others = (0..<100).map { (500 + Double($0), #"{"key \#($0)": "\#(String(repeating: "x", count: 1000))"}"#) }
        let timeline = try Self.timeline([], lines: rates + others)
        #expect(timeline.printedLines.count == 60)
        #expect(timeline.omittedLineCount == 540)
        #expect(timeline.printedLines.allSatisfy { $0.line.utf8.count <= 260 })
    }

    @Test func `A device that reconnects endlessly does not fill the memory`() throws {
        let events = (0..<2000).map { index in
            (Double(index), index % 2 == 0 ? EventName.connected : .disconnected, "strap", String?.none, String?.none)
        }
        let timeline = try Self.timeline(events, until: 2000)
        #expect(timeline.lanes[0].spans.count == 200)
        #expect(timeline.lanes[0].spans.last?.end == Self.instant(2000))
    }
}
