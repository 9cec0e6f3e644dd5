import EventLog
import Scenarios
import Simulation

/// What is true of the parts that expectations ask for, and was within the last second.
struct Truths: Sendable {
    /// By which values reach a client.
    static let kinds: [Event.Kind] = [.delivered, .read]
    /// What was true so long ago may still be said: a client has a latency of its own.
    static let latency = Duration.seconds(1)

    private var histories: [History] = []

    init(_ scenario: Scenario) {
        for truth in scenario.expectations.flatMap(\.truths) where !histories.contains(where: { $0.tells(truth) }) {
            histories.append(History(truth, in: scenario))
        }
    }

    mutating func hear(_ happening: Happening, at now: Instant) {
        guard Self.kinds.contains(happening.kind) else { return }
        for index in histories.indices { histories[index].hear(happening, at: now) }
    }

    /// Whether a value is as the truth was at some instant of the last second.
    func hold(_ truth: Matcher.Truth, _ datum: Datum, at now: Instant) -> Bool {
        histories.first { $0.tells(truth) }?.holds(datum, tolerance: truth.tolerance, at: now) ?? false
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
    }

    private let truth: Matcher.Truth
    /// The value of the service, whose octets may hold the part too.
    private let carrier: Thing?
    private let key: String
    private let leeway: Double
    private var statistic: RollingStatistic
    private var past: ArraySlice<Past> = []
    private(set) var present: Datum?

    init(_ truth: Matcher.Truth, in scenario: Scenario) {
        self.truth = truth
        statistic = RollingStatistic(truth)
        if case .part(let device, let service, _) = truth.of, let part = scenario.part(truth.of) {
            let owner = scenario.devices[device].services[service]
            carrier = owner.parts.firstIndex { $0.role == .value }.map { place in
                .part(device: device, service: service, part: place)
            }
            (key, leeway) = (part.key(in: owner.kind), part.leeway(in: owner.kind))
        } else {
            (carrier, key, leeway) = (nil, "", 0)
        }
    }

    /// Whether it is the history of this truth, whatever its tolerance.
    func tells(_ other: Matcher.Truth) -> Bool {
        var other = other
        other.tolerance = truth.tolerance
        return truth == other
    }

    mutating func hear(_ happening: Happening, at now: Instant) {
        guard happening.of == truth.of || happening.of != nil && happening.of == carrier else { return }
        for index in 0..<values(of: happening) {
            guard let value = value(of: happening.value(at: index), in: happening) else { continue }
            statistic.add(value)
            guard statistic.value != present else { continue }
            if let present { past.append(Past(value: present, end: now)) }
            present = statistic.value
        }
        let start = now.advanced(by: .zero - Truths.latency)
        past = past.drop { $0.end < start }
    }

    /// An object says once what it has, however many values that stands for.
    private func values(of happening: Happening) -> Int {
        guard case .object = happening.value, truth.statistic != .count else { return happening.count }
        return min(happening.count, 1)
    }

    /// The part's value in what was carried; nil when it is not there.
    private func value(of carried: Datum?, in happening: Happening) -> Datum? {
        if case .object = carried { return carried?[key] }
        return happening.of == truth.of ? carried : nil
    }

    func holds(_ datum: Datum, tolerance: Double, at now: Instant) -> Bool {
        let (start, tolerance) = (now.advanced(by: .zero - Truths.latency), max(tolerance, leeway))
        if let present, datum.isNear(present, tolerance) { return true }
        return past.contains { $0.end >= start && datum.isNear($0.value, tolerance) }
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
