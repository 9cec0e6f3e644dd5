import Bluetooth
public import EventLog
public import Scenarios
public import Simulation
import Spelling
import Synchronization

/// Makes a chronicle of an event log, while that is written.
///
/// It remembers a bounded part, however long the log is.
public final class Chronicler: Sendable {
    private let wording: ValueFormatter
    private let memory: Mutex<Memory>

    /// For the log of a scenario, whose values are worded like this.
    public init(_ scenario: Scenario, _ wording: ValueFormatter) {
        self.wording = wording
        memory = Mutex(Memory(scenario))
    }

    /// Takes in what happened.
    public func take(_ chunk: EventChunk) {
        let records = chunk.records(where: Memory.events.contains, in: wording)
        memory.withLock { memory in
            for record in records { memory.take(record) }
            for (instant, line) in chunk.lines { memory.heard(line, at: instant) }
        }
    }

    /// What has happened so far, up to an instant.
    public func chronicle(until end: Instant) -> Chronicle { memory.withLock { $0.chronicle(until: end) } }
}

/// How it stands, and how it came to that.
private struct Memory {
    static let events: Set<EventName> = [
        .advertising, .connected, .disconnected, .subscribed, .unsubscribed, .delivered, .began, .ended,
    ]

    private struct Device {
        var lane: Chronicle.Lane
        var peers: [(peer: DeviceAddress?, subscriptions: Int)] = []  // few
        var isAdvertising = false
        var absences = 0

        var phase: Chronicle.Phase {
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
                guard last.content != phase, lane.spans.count < Memory.mostSpans else { return }
                if last.begin == now { lane.spans.removeLast() } else { lane.spans[lane.spans.count - 1].end = now }
            }
            guard lane.spans.last?.content != phase else { return }
            lane.spans.append(Chronicle.Span(content: phase, begin: now, end: now))
        }
    }

    private static let mostSpans = 200
    private static let mostLanes = 8
    private static let mostSayings = 60
    /// How many of each kind of line are kept; of states more, since they tell a story.
    private static let sayingsOfAKind = (states: 24, others: 3)

    private var devices: [Device]
    private var chronicle: Chronicle
    /// What a rule of the log's name is called here, and which devices it takes out of the air.
    private let rules: [String: (label: String, absences: [Int])]
    private var kinds: [String: Int] = [:]

    init(_ scenario: Scenario) {
        devices = scenario.devices.prefix(Self.mostLanes).map { Device(lane: Chronicle.Lane(name: $0.id)) }
        for index in devices.indices { devices[index].note(at: .start) }
        chronicle = Chronicle(lanes: [])
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
        // A device's own subscription is that to Service Changed, which nobody waits for.
        case .subscribed: if name != path { devices[index].changeSubscriptions(of: record.peer, by: 1) }
        case .unsubscribed: if name != path { devices[index].changeSubscriptions(of: record.peer, by: -1) }
        case .delivered:
            guard let value = record.value, value.hasPrefix("{\"bpm\""), let datum = Datum(json: value.utf8),
                case .number(let rate)? = datum["bpm"]
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
            guard chronicle.operations.count < Self.mostSpans else { return }
            chronicle.operations.append(Chronicle.Span(content: label, begin: record.instant, end: .never))
        } else if let place = chronicle.operations.lastIndex(where: { $0.content == label && $0.end == .never }) {
            chronicle.operations[place].end = record.instant
        }
    }

    mutating func heard(_ octets: ArraySlice<UInt8>, at instant: Instant) {
        let line = Datum(json: octets)
        if let rate = line?["heart_rate"] {
            if case .number(let rate)? = rate["bpm"] {
                chronicle.shown.add(rate, at: instant)
            } else {
                chronicle.shown.stop()
            }
        } else if line?["state"] == .string("disconnected") {
            chronicle.shown.stop()
        }
        var kind = ""
        if case .object(let members)? = line, let first = members.first { kind = first.key }
        if line?["heart_rate"] == .null { kind = "cleared" }
        let most = kind == "state" ? Self.sayingsOfAKind.states : Self.sayingsOfAKind.others
        guard chronicle.sayings.count < Self.mostSayings, kinds[kind, default: 0] < most else {
            chronicle.sayingsLeftOut += 1
            return
        }
        kinds[kind, default: 0] += 1
        chronicle.sayings.append(
            Chronicle.Saying(instant: instant, line: String(decoding: octets, as: UTF8.self).abbreviated))
    }

    func chronicle(until end: Instant) -> Chronicle {
        var chronicle = chronicle
        chronicle.lanes = devices.map { device in
            var lane = device.lane
            if !lane.spans.isEmpty { lane.spans[lane.spans.count - 1].end = end }
            return lane
        }
        for place in chronicle.operations.indices {
            chronicle.operations[place].end = min(chronicle.operations[place].end, end)
        }
        return chronicle
    }
}
