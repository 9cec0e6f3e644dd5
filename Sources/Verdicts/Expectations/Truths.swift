import EventLog
import Scenarios
import Services
import Simulation

/// What is true of the parts that expectations ask for, and was within the last second.
struct Truths: Sendable {
    /// By which values reach a client; of an indication there is no better sign than that it was sent.
    let kinds: [Event.Kind]
    /// What was true so long ago may still be said: a client has a latency of its own.
    static let latency = Duration.seconds(1)

    private var histories: [History] = []

    /// Of `arrival` a notified value is known to have come; what was true is known for the time of `memory`.
    init(_ scenario: Scenario, arrival: Event.Kind = .delivered, memory: Duration = latency) {
        kinds = [arrival, .indicated, .read]
        for truth in scenario.expectations.flatMap(\.truths) where !histories.contains(where: { $0.tells(truth) }) {
            histories.append(History(truth, in: scenario, memory: memory))
        }
    }

    mutating func hear(_ observed: ObservedEvent, at now: Instant) {
        guard kinds.contains(observed.kind) else { return }
        for index in histories.indices { histories[index].hear(observed, at: now) }
    }

    /// Whether a value is as the truth was at some instant of the last second.
    func hold(_ truth: Matcher.Truth, _ datum: Datum, at now: Instant) -> Bool {
        histories.first { $0.tells(truth) }?.holds(datum, tolerance: truth.tolerance, at: now) ?? false
    }

    /// Whether a value is as the truth is, or as it became or was said to be anew since an instant.
    func hold(_ truth: Matcher.Truth, _ datum: Datum, since instant: Instant) -> Bool {
        histories.first { $0.tells(truth) }?.came(datum, tolerance: truth.tolerance, since: instant) ?? false
    }

    /// What is true now; nil when nothing is.
    func present(_ truth: Matcher.Truth) -> Datum? { histories.first { $0.tells(truth) }?.present }
}

/// A truth, and those that it took the place of in the last second.
///
/// It changes with each value that reaches the client, of a stream also within one notification.
private struct History: Sendable {
    private struct Past: Sendable {
        let value: Datum
        /// Until then it was true.
        let end: Instant
        /// The last time that it came.
        let renewed: Instant
    }

    private let truth: Matcher.Truth
    /// The value of the service, whose octets may hold the part too.
    private let carrier: EntityReference?
    private let key: String
    /// The value's own tolerance, however strict the expectation is.
    private let allowance: Double
    private let memory: Duration
    private var renewed = Instant.start  // when what is true came the last time
    private var statistic: RollingStatistic
    private var past: ArraySlice<Past> = []
    private(set) var present: Datum?

    init(_ truth: Matcher.Truth, in scenario: Scenario, memory: Duration) {
        (self.truth, self.memory) = (truth, memory)
        statistic = RollingStatistic(truth)
        if case .part(let device, let service, _) = truth.of, let value = scenario.value(truth.of) {
            let owner = scenario.devices[device].services[service]
            carrier = owner.mainValue.map { .part(device: device, service: service, part: $0) }
            (key, allowance) = (value.description.key ?? value.name, value.description.tolerance)
        } else {
            (carrier, key, allowance) = (nil, "", 0)
        }
    }

    /// Whether it is the history of this truth, whatever its tolerance.
    func tells(_ other: Matcher.Truth) -> Bool {
        var other = other
        other.tolerance = truth.tolerance
        return truth == other
    }

    mutating func hear(_ observed: ObservedEvent, at now: Instant) {
        guard observed.of == truth.of || observed.of != nil && observed.of == carrier else { return }
        if observed.of == truth.of, observed.isStream {
            for index in 0..<observed.count { add(observed.value(at: index) ?? uncounted, at: now) }
        } else if case .object? = observed.value {
            add(observed.value?[key], at: now)
        } else if observed.of == truth.of {
            add(observed.value, at: now)
        }
        let start = now.advanced(by: .zero - memory)
        past = past.drop { $0.end < start }
    }

    /// What counts as one though nobody knows what it is.
    private var uncounted: Datum? { truth.statistic == .count && truth.below == nil ? .null : nil }

    private mutating func add(_ value: Datum?, at now: Instant) {
        guard let value else { return }
        statistic.add(value)
        defer { renewed = now }
        guard statistic.value != present else { return }
        if let present { past.append(Past(value: present, end: now, renewed: renewed)) }
        present = statistic.value
    }

    func holds(_ datum: Datum, tolerance: Double, at now: Instant) -> Bool {
        let (start, tolerance) = (now.advanced(by: .zero - Truths.latency), max(tolerance, allowance))
        if let present, datum.isNear(present, tolerance) { return true }
        return past.contains { $0.end >= start && datum.isNear($0.value, tolerance) }
    }

    func came(_ datum: Datum, tolerance: Double, since instant: Instant) -> Bool {
        let tolerance = max(tolerance, allowance)
        if let present, datum.isNear(present, tolerance) { return true }
        return past.contains { $0.renewed >= instant && datum.isNear($0.value, tolerance) }
    }
}

extension Datum {
    /// Whether it is the same, but for numbers that are only so far off.
    fileprivate func isNear(_ other: Datum, _ tolerance: Double) -> Bool {
        switch (self, other) {
        // What binary fractions do to decimal ones is no difference.
        case (.number(let one), .number(let two)): (one - two).magnitude <= tolerance + 1e-9
        case (.list(let some), .list(let others)):
            some.count == others.count && zip(some, others).allSatisfy { $0.isNear($1, tolerance) }
        case (.object(let members), .object(let others)):
            members.count == others.count && others.allSatisfy { self[$0.key]?.isNear($0.value, tolerance) ?? false }
        default: self == other
        }
    }
}
