import Basics
import Devices
import ScenarioModel

/// The present and recent values of all `$truth` in the expectations.
struct Truths: Sendable {
    /// The events by which values reach a client; for indications, that they were sent.
    let kinds: [Event.Kind]
    /// A client may print values that were true this long ago.
    static let latency = Duration.seconds(1)

    private var histories: [History] = []

    /// The truths of a scenario.  The event `arrival` shows that a notified value has reached the client; earlier values are
    /// kept for `memory`.
    init(_ scenario: Scenario, arrival: Event.Kind = .delivered, memory: Duration = latency) {
        let truths = scenario.expectations.flatMap(\.truths)
        kinds = [arrival, .indicated, .read] + (truths.contains { $0.advertised != nil } ? [.advertised] : [])
        for truth in truths where !histories.contains(where: { $0.covers(truth) }) {
            histories.append(History(truth, in: scenario, memory: memory))
        }
    }

    mutating func observe(_ observed: ObservedEvent, at now: Instant) {
        guard kinds.contains(observed.kind) else { return }
        for index in histories.indices { histories[index].observe(observed, at: now) }
    }

    /// Takes a line of the client, after the expectations have compared it with those before.
    mutating func observe(line: Datum, at now: Instant) {
        for index in histories.indices { histories[index].observe(line: line, at: now) }
    }

    /// Whether a value matches the truth at some instant of the last second, for an expectation that opened at `opened`.
    func hold(_ truth: Matcher.Truth, _ datum: Datum, at now: Instant, opened: Instant = .start) -> Bool {
        let start = now.advanced(by: .zero - Self.latency)
        return history(of: truth)?.holds(datum, truth, opened) { $0.end >= start } ?? false
    }

    /// Whether a value matches the present truth, or one that was delivered since an instant, for an expectation that
    /// opened at `opened`.
    func hold(_ truth: Matcher.Truth, _ datum: Datum, since instant: Instant, opened: Instant) -> Bool {
        history(of: truth)?.holds(datum, truth, opened) { $0.renewed >= instant } ?? false
    }

    private func history(of truth: Matcher.Truth) -> History? { histories.first { $0.covers(truth) } }

    /// The present value, in an expectation that opened at `opened`.
    func present(_ truth: Matcher.Truth, opened: Instant = .start) -> Datum? {
        guard let history = history(of: truth) else { return nil }
        return truth.isFresh && history.renewed < opened ? nil : history.present
    }

    /// The value that the present one has replaced.
    func previous(_ truth: Matcher.Truth) -> Datum? { history(of: truth)?.previous }

    /// The value that an event has just delivered, if the truth is that value; nil for other statistics, and in streams,
    /// since clients need not print each value of a stream.
    func delivered(_ truth: Matcher.Truth, by observed: ObservedEvent) -> Datum? {
        guard kinds.contains(observed.kind), truth.isLastValue, !observed.isStream else { return nil }
        return history(of: truth).flatMap { $0.concerns(observed) ? $0.present : nil }
    }

    /// Whether a value is near another, within the tolerance of a truth.
    func isNear(_ datum: Datum, _ other: Datum, _ truth: Matcher.Truth) -> Bool {
        history(of: truth)?.isNear(datum, other, truth) ?? false
    }
}

extension Matcher.Truth {
    /// Whether it is the value delivered last, whatever that is.
    var isLastValue: Bool { statistic == .last && below == nil && relation == .equal && offset == 0 && keys.isEmpty }

    /// Whether a number compares with the statistic as it should.
    fileprivate func compares(_ datum: Datum, with statistic: Datum, tolerance: Double) -> Bool? {
        guard relation != .equal || offset != 0 else { return nil }
        guard case (.number(let number), .number(let statistic)) = (datum, statistic) else { return false }
        let bound = statistic + offset
        if bound.equals(number, within: tolerance) { return true }
        return switch relation {
        case .equal: false
        case .atLeast: number > bound
        case .atMost: number < bound
        }
    }
}

/// The present and earlier results of one `$truth`.
///
/// Each value that reaches the client changes it, in a stream also within one notification.
private struct History: Sendable {
    struct Past: Sendable {
        let value: Datum
        let end: Instant
        /// When it was delivered last.
        let renewed: Instant
    }

    private let truth: Matcher.Truth
    /// The characteristic value that includes the value.
    private let carrier: EntityReference?
    private let key: String
    /// The value's own tolerance, however strict the expectation is.
    private let allowance: Double
    private let memory: Duration
    private(set) var renewed = Instant.start  // when the present value was delivered last
    private var statistic: RollingStatistic
    private var past: ArraySlice<Past> = []
    private(set) var present: Datum?
    /// The value before the present one.
    private(set) var previous: Datum?

    init(_ truth: Matcher.Truth, in scenario: Scenario, memory: Duration) {
        (self.truth, self.memory) = (truth, memory)
        statistic = RollingStatistic(truth)
        if case .value(let device, let service, let place) = truth.of, let value = scenario.value(truth.of) {
            carrier = scenario.devices[device].services[service].carrier(of: place).map {
                .value(device: device, service: service, value: $0)
            }
            (key, allowance) = (value.description.key ?? value.name, value.description.tolerance)
        } else {
            (carrier, key, allowance) = (nil, truth.advertised ?? "", 0)
        }
    }

    /// Whether this is the history of a truth; how a value compares with it, and whether it has to be fresh, do not matter.
    func covers(_ other: Matcher.Truth) -> Bool {
        var other = other
        (other.tolerance, other.isFresh) = (truth.tolerance, truth.isFresh)
        (other.relation, other.offset) = (truth.relation, truth.offset)
        return truth == other
    }

    /// Whether an event has delivered a value of this truth.
    func concerns(_ observed: ObservedEvent) -> Bool {
        guard isAbout(observed) else { return false }
        if case .object? = observed.value { return observed.value?[key] != nil }
        return observed.of == truth.of && observed.value != nil
    }

    private func isAbout(_ observed: ObservedEvent) -> Bool {
        guard (truth.advertised != nil) == (observed.kind == .advertised) else { return false }
        return observed.of == truth.of || observed.of != nil && observed.of == carrier
    }

    mutating func observe(_ observed: ObservedEvent, at now: Instant) {
        guard isAbout(observed) else { return }
        if observed.of == truth.of, observed.isStream {
            for index in 0..<observed.count { add(observed.value(at: index) ?? unknownSample, at: now) }
        } else if case .object? = observed.value {
            add(observed.value?[key], at: now)
        } else if observed.of == truth.of {
            add(observed.value, at: now)
        }
        let start = now.advanced(by: .zero - memory)
        past = past.drop { $0.end < start }
    }

    mutating func observe(line: Datum, at now: Instant) {
        guard !truth.keys.isEmpty else { return }
        var value: Datum? = line
        for key in truth.keys { value = value?[key] }
        add(value == .null ? nil : value, at: now)
        // The client knows its lines, so that only the present result counts.
        past = []
    }

    /// The value of an unknown sample, which still counts.
    private var unknownSample: Datum? { truth.statistic == .count && truth.below == nil ? .null : nil }

    private mutating func add(_ value: Datum?, at now: Instant) {
        guard let value else { return }
        statistic.add(value)
        defer { renewed = now }
        guard statistic.value != present else { return }
        if let present { past.append(Past(value: present, end: now, renewed: renewed)) }
        (previous, present) = (present, statistic.value)
    }

    /// Whether a datum is near the present value or a recent one; of a truth that has to be fresh, only those delivered since
    /// the expectation opened count.
    func holds(_ datum: Datum, _ truth: Matcher.Truth, _ opened: Instant, orWhere isRecent: (Past) -> Bool) -> Bool {
        let earliest = truth.isFresh ? opened : .start
        if let present, renewed >= earliest, isNear(datum, present, truth) { return true }
        return past.contains { $0.renewed >= earliest && isRecent($0) && isNear(datum, $0.value, truth) }
    }

    func isNear(_ datum: Datum, _ other: Datum, _ truth: Matcher.Truth) -> Bool {
        let tolerance = max(truth.tolerance, allowance)
        return truth.compares(datum, with: other, tolerance: tolerance) ?? datum.isNear(other, tolerance)
    }
}

extension Datum {
    /// Whether it is equal, except for differences of numbers within a tolerance.
    func isNear(_ other: Datum, _ tolerance: Double) -> Bool {
        switch (self, other) {
        case (.number(let one), .number(let two)): two.equals(one, within: tolerance)
        case (.list(let some), .list(let others)):
            some.count == others.count && zip(some, others).allSatisfy { $0.isNear($1, tolerance) }
        case (.object(let members), .object(let others)):
            members.count == others.count && others.allSatisfy { self[$0.key]?.isNear($0.value, tolerance) ?? false }
        default: self == other
        }
    }
}
