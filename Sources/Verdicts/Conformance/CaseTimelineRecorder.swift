package import Basics
import Bluetooth
package import ScenarioModel
import Synchronization

/// Builds the timeline of a case from its event log, in bounded memory.
package final class CaseTimelineRecorder: Sendable {
    private let wording: ValueFormatter
    private let memory: Mutex<TimelineState>

    /// A recorder for the log of a scenario, whose values `wording` formats.
    package init(_ scenario: Scenario, _ wording: ValueFormatter) {
        self.wording = wording
        memory = Mutex(TimelineState(scenario))
    }

    package func take(_ chunk: EventChunk) {
        let records = chunk.records(where: TimelineState.events.contains, in: wording)
        memory.withLock { memory in
            for record in records { memory.take(record) }
            for (instant, line) in chunk.lines { memory.printed(line, at: instant) }
        }
    }

    package func timeline(until end: Instant) -> CaseTimeline { memory.withLock { $0.timeline(until: end) } }
}

/// The timeline, and the present state of the devices.
private struct TimelineState {
    static let events: Set<EventName> = [
        .advertising, .connected, .disconnected, .subscribed, .unsubscribed, .delivered, .began, .ended,
    ]

    private struct Device {
        var lane: CaseTimeline.Lane
        var peers: [(peer: DeviceAddress?, subscriptions: Int)] = []  // few
        var isAdvertising = false
        var absences = 0

        var phase: CaseTimeline.Phase {
            if absences > 0 { return .away }
            if peers.isEmpty { return isAdvertising ? .advertising : .silent }
            return peers.contains { $0.subscriptions > 0 } ? .subscribed : .connected
        }

        mutating func changeSubscriptions(of peer: DeviceAddress?, by count: Int) {
            guard let place = peers.firstIndex(where: { $0.peer == peer }) else { return }
            peers[place].subscriptions = max(0, peers[place].subscriptions + count)
        }

        mutating func note(at now: Instant) {
            let phase = phase
            if let last = lane.spans.last {
                guard last.content != phase, lane.spans.count < TimelineState.maximumSpans else { return }
                if last.begin == now { lane.spans.removeLast() } else { lane.spans[lane.spans.count - 1].end = now }
            }
            guard lane.spans.last?.content != phase else { return }
            lane.spans.append(CaseTimeline.Span(content: phase, begin: now, end: now))
        }
    }

    private static let maximumSpans = 200
    private static let maximumLanes = 8
    private static let maximumLines = 60
    /// How many lines of each kind are kept; more of the states, since they explain the others.
    private static let maximumLinesOfAKind = (states: 24, others: 3)

    private var devices: [Device]
    private var timeline: CaseTimeline
    /// For the name of a rule in the log: its label, and the devices that it removes from the air.
    private let rules: [String: (label: String, absences: [Int])]
    private var kinds: [String: Int] = [:]

    init(_ scenario: Scenario) {
        devices = scenario.devices.prefix(Self.maximumLanes).map { Device(lane: CaseTimeline.Lane(name: $0.id)) }
        for index in devices.indices { devices[index].note(at: .start) }
        timeline = CaseTimeline(lanes: [])
        var rules: [String: (label: String, absences: [Int])] = [:]
        for (index, rule) in scenario.script.enumerated() {
            let kind = rule.action.kind
            let label = rule.id.map { "\($0): \(kind.rawValue)" } ?? kind.rawValue
            let reached = rule.action.entity?.device.map { [$0] } ?? Array(scenario.devices.indices)
            rules[rule.id ?? "rule \(index + 1)"] = (label, kind == .linkLoss || kind == .powerOff ? reached : [])
        }
        self.rules = rules
    }

    mutating func take(_ record: EventRecord) {
        if record.event == .began || record.event == .ended { return act(record) }
        let path = record.entity ?? ""
        let name = path.prefix { $0 != "/" }
        guard let index = devices.firstIndex(where: { $0.lane.name == name }) else { return }
        switch record.event {
        case .advertising: devices[index].isAdvertising = true
        case .connected:
            devices[index].isAdvertising = false
            devices[index].peers.append((record.peer, 0))
        case .disconnected:
            if let place = devices[index].peers.firstIndex(where: { $0.peer == record.peer }) {
                devices[index].peers.remove(at: place)
            }
            devices[index].lane.heartRate.stop()
        // A subscription to the device itself is that to Service Changed.
        case .subscribed: if name != path { devices[index].changeSubscriptions(of: record.peer, by: 1) }
        case .unsubscribed: if name != path { devices[index].changeSubscriptions(of: record.peer, by: -1) }
        case .delivered:
            guard let value = record.value, case .number(let rate)? = Datum(json: value.utf8)?["bpm"]
            else { return }
            return devices[index].lane.heartRate.add(rate, at: record.instant)
        default: return
        }
        devices[index].note(at: record.instant)
    }

    private mutating func act(_ record: EventRecord) {
        guard let name = record.rule else { return }
        let (label, absences) = rules[name] ?? (name, [])
        let begins = record.event == .began
        for device in absences where devices.indices.contains(device) {
            devices[device].absences = max(0, devices[device].absences + (begins ? 1 : -1))
            devices[device].note(at: record.instant)
        }
        if begins {
            guard timeline.operations.count < Self.maximumSpans else { return }
            timeline.operations.append(CaseTimeline.Span(content: label, begin: record.instant, end: .never))
        } else if let place = timeline.operations.lastIndex(where: { $0.content == label && $0.end == .never }) {
            timeline.operations[place].end = record.instant
        }
    }

    mutating func printed(_ octets: ArraySlice<UInt8>, at instant: Instant) {
        let line = Datum(json: octets)
        if let rate = line?["heart_rate"] {
            if case .number(let rate)? = rate["bpm"] {
                timeline.shown.add(rate, at: instant)
            } else {
                timeline.shown.stop()
            }
        } else if line?["state"] == .string("disconnected") {
            timeline.shown.stop()
        }
        var kind = ""
        if case .object(let members)? = line, let first = members.first { kind = first.key }
        if line?["heart_rate"] == .null { kind = "cleared" }
        let most = kind == "state" ? Self.maximumLinesOfAKind.states : Self.maximumLinesOfAKind.others
        guard timeline.printedLines.count < Self.maximumLines, kinds[kind, default: 0] < most else {
            timeline.omittedLineCount += 1
            return
        }
        kinds[kind, default: 0] += 1
        timeline.printedLines.append(
            CaseTimeline.PrintedLine(instant: instant, line: String(decoding: octets, as: UTF8.self).abbreviated))
    }

    func timeline(until end: Instant) -> CaseTimeline {
        var timeline = timeline
        timeline.lanes = devices.map { device in
            var lane = device.lane
            if !lane.spans.isEmpty { lane.spans[lane.spans.count - 1].end = end }
            return lane
        }
        for place in timeline.operations.indices {
            timeline.operations[place].end = min(timeline.operations[place].end, end)
        }
        return timeline
    }
}
