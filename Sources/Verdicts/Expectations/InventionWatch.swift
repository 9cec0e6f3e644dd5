import Basics
import Devices
package import ScenarioModel
import Services

extension Expectation {
    /// The expectation of every run with a client: it shows nothing that was not delivered to it.
    package static let nothingInvented = Expectation(
        id: "nothing_invented", .never(Event(.said, of: .client, filters: [])), since: .start)
}

extension Scenario {
    /// The values of a device that clients print under one of these keys.
    package func values(of device: Int, shownAs keys: [String]) -> [EntityReference] {
        devices[device].services.enumerated().flatMap { index, service in
            service.values.enumerated().compactMap { place, value in
                let key = service.description.characteristics[value.characteristic].client.key
                guard !value.isCarried, keys.contains(key) else { return nil }
                return .value(device: device, service: index, value: place)
            }
        }
    }

    /// The expectation that a ruling is about: one of the scenario, or after them the one of every client.
    package func expectation(of ruling: Judge.Ruling) -> Expectation {
        expectations.indices.contains(ruling.expectation) ? expectations[ruling.expectation] : .nothingInvented
    }
}

/// Judges that a client shows only values that were delivered to it.
///
/// Each field of a line is compared with the deliveries of that field: the latest, and those replaced recently, as the
/// client may print late. It may leave out values and fields, repeat the latest, and round within the tolerance of a value.
/// Scenarios that advertise values are not judged.  Nor are fields without a description, keys that no device of the
/// scenario has, and values after something was delivered that Lubdub cannot decode.
struct InventionWatch: Sendable {
    struct Invention: Sendable {
        let line: Datum
        /// The path in the line: `heart_rate bpm`.
        let key: String
        let field: String
        let shown: Datum
        let latest: Datum?
        let isStale: Bool
        let at: Instant
    }

    /// A client may show a value for this long after another has replaced it.
    static let latency = Duration.seconds(10)
    /// The same where values may wait in the radio's queue.
    private static let latencyOfRadio = Duration.seconds(30)

    /// The events by which values reach a client.
    let kinds: [Event.Kind]
    private let memory: Duration
    /// The rules that send a whole PDU, which may have a value of their device, or of any.
    private let rawRules: [EntityReference: Int?]
    private let peers: [String]
    private var sources: [ShownSource] = []
    private var counts: [String: Double] = [:]  // of samples shown, by key
    private(set) var invention: Invention?
    /// What explains failures about lines.
    private(set) var history: DisplayHistory
    /// The history some time after the invention, before it is forgotten.
    private var surroundings: DisplayHistory?

    init(_ scenario: Scenario, arrival: Event.Kind) {
        let raw = scenario.script.enumerated().filter { $0.element.action.sendsPDU }
        rawRules = Dictionary(raw.map { (.rule($0.offset), $0.element.action.entity?.device) }) { first, _ in first }
        kinds = [arrival, .indicated, .read] + (raw.isEmpty ? [] : [.began])
        memory = arrival == .delivered ? Self.latency : Self.latencyOfRadio
        peers = scenario.devices.map { "\($0.address)" }
        history = DisplayHistory(scenario)
        // A client may show what it has heard without a connection, under any key.
        guard !scenario.advertisesValues else { return }
        let described = Set(scenario.customKeys)
        for (device, content) in scenario.devices.enumerated() {
            for (index, service) in content.services.enumerated() {
                for (place, value) in service.values.enumerated() where !value.isCarried {
                    let entity = EntityReference.value(device: device, service: index, value: place)
                    let source = ShownSource(entity, device, value, in: service.description)
                    if !described.contains(source.key) { sources.append(source) }
                }
            }
        }
    }

    mutating func observe(_ observed: ObservedEvent, at now: Instant) {
        if observed.kind == .said {
            let line = observed.printed ?? observed.value
            if let line { history.take(line, at: now) }
            take(line, at: now)
            if surroundings == nil, let invention, invention.at.duration(to: now) > Self.latency {
                surroundings = history
            }
            return
        }
        guard kinds.contains(observed.kind) else { return }
        if observed.kind == .began {
            guard let device = observed.of.flatMap({ rawRules[$0] }) else { return }
            for index in sources.indices where device == nil || sources[index].device == device {
                sources[index].deliverUnknown(at: now, memory: memory)
            }
            return
        }
        for index in sources.indices {
            if sources[index].entity == observed.of {
                history.deliver(
                    sources[index].shown(for: observed.value), sources[index].key, of: sources[index].device, at: now)
                sources[index].deliver(observed, at: now, memory: memory)
            } else if observed.of == .device(sources[index].device), observed.kind != .read {
                sources[index].deliverUnknown(at: now, memory: memory)
            }
        }
    }

    private mutating func take(_ line: Datum?, at now: Instant) {
        guard invention == nil, let line, case .object(let members) = line else { return }
        let device = line["peer"].flatMap { peer in peers.firstIndex { .string($0) == peer } }
        for member in members {
            let known = sources.filter { $0.key == member.key && (device == nil || $0.device == device) }
            guard invention == nil, !known.isEmpty else { continue }
            count(member, known, in: line, at: now)
            // An object instead of a number is judged as a whole.
            let fields = known.contains(where: \.isNumber) ? [("", member.value)] : member.value.fields
            for (field, shown) in fields where invention == nil {
                judge(shown, member.key, field, known, in: line, at: now)
            }
        }
    }

    private mutating func judge(
        _ shown: Datum, _ key: String, _ field: String, _ known: [ShownSource], in line: Datum, at now: Instant
    ) {
        let start = now.advanced(by: .zero - memory)
        for element in shown.elements where element != .null {
            let ages = known.filter { $0.judges(field) }.map { $0.age(of: element, as: field, since: start, at: now) }
            guard !ages.isEmpty, !ages.contains(nil), !ages.contains(.recent) else { continue }
            invention = Invention(
                line: line, key: key, field: field, shown: shown,
                latest: known.lazy.compactMap { $0.latest(field) }.first, isStale: ages.contains(.stale), at: now)
            return
        }
    }

    /// Counts the samples of a line: not more than were delivered.
    private mutating func count(_ member: Datum.Member, _ known: [ShownSource], in line: Datum, at now: Instant) {
        guard let shown = member.value["samples"], shown != .null, known.contains(where: \.isCounted) else { return }
        var total = shown
        if case .number(let number) = shown {
            counts[member.key, default: 0] += number
            total = .number(counts[member.key, default: 0])
        }
        let delivered = sources.filter { $0.key == member.key && $0.isCounted }.map(\.samples)
        let all = delivered.compactMap(\.self).reduce(0, +)
        if case .number(let count) = total, count <= Double(all) { return }
        guard !delivered.contains(nil) else { return }
        invention = Invention(
            line: line, key: member.key, field: "samples", shown: total,
            latest: .number(Double(all)), isStale: false, at: now)
    }
}

extension InventionWatch {
    /// The verdict at the end of a scenario, as that on the expectation with an index.
    func ruling(_ index: Int, at end: Instant, _ context: Context) -> Judge.Ruling {
        guard let invention else {
            return Judge.Ruling(expectation: index, verdict: .pass, why: nil, at: end, stall: nil)
        }
        let reason = context.formatter.invented(invention, surroundings ?? history)
        let begin = invention.at.advanced(by: .zero - memory)
        let stall = invention.isStale ? context.stalls.longest(from: begin, to: invention.at, over: memory / 10) : nil
        return Judge.Ruling(
            expectation: index, verdict: stall == nil ? .fail : .inconclusive,
            why: stall.map { context.formatter.excused(reason, $0) } ?? reason, at: invention.at, stall: stall,
            facts: [Fact(.line, at: invention.at)])
    }
}

extension Datum {
    /// The fields of a value in a line: its members, or itself without a name.
    var fields: [(String, Datum)] {
        if case .object(let members) = self { members.map { ($0.key, $0.value) } } else { [("", self)] }
    }
}

extension Action {
    /// Whether it sends octets on a channel, not as a value.
    fileprivate var sendsPDU: Bool { if case .raw(_, _?) = operation { true } else { false } }
}

extension Scenario {
    /// The keys of lines about characteristics that the file itself defines, in its own format.
    fileprivate var customKeys: [String] {
        let known = ServiceRegistry.all.flatMap(\.characteristics)
        let custom = devices.flatMap(\.services).filter { $0.description.name == "custom" }
        return custom.flatMap(\.description.characteristics).flatMap { own in
            known.filter { $0.uuid == own.uuid }.map(\.client.key)
        }
    }
}
