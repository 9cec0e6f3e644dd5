import Documents
import EventLog
import Scenarios
import Simulation

/// Finds rules and moments of a scenario that can never occur.
struct ReachabilityAnalysis {
    let rules: [Rule]
    let limit: Duration
    let devices: [Device]
    /// For each rule, why it cannot fire; nil if it can.
    private let reasons: [String?]

    init(rules: [Rule], limit: Duration, devices: [Device]) {
        (self.rules, self.limit, self.devices) = (rules, limit, devices)
        // A rule that depends on another can fire only after it; rules that depend on each other never become ready.
        var canFire = rules.map { _ in false }
        var followers: [[Int]] = rules.map { _ in [] }
        var ready: [Int] = []
        for (index, rule) in rules.enumerated() where rule.chance > 0 {
            guard Self.unreachableReason(rule.when, limit, devices, { _ in true }) == nil else { continue }
            if case .event(let event) = rule.when, case .rule(let other)? = event.of {
                followers[other].append(index)
            } else {
                ready.append(index)
            }
        }
        while let index = ready.popLast() {
            guard !canFire[index] else { continue }
            canFire[index] = true
            ready += followers[index]
        }
        reasons = rules.map { rule in
            rule.chance > 0 ? Self.unreachableReason(rule.when, limit, devices) { canFire[$0] } : "its chance is 0"
        }
    }

    func unreachableReason(rule: Int) -> String? { reasons[rule] }

    /// Why a moment never occurs; nil if it can.
    func unreachableReason(_ moment: Moment) -> String? {
        Self.unreachableReason(moment, limit, devices) { reasons[$0] == nil }
    }

    /// Why a rule never reaches its `until`; nil if it can, or has none.
    func endlessReason(rule index: Int) -> String? {
        guard case .at(let end)? = rules[index].end else { return nil }
        if case .event(let event) = end, event.kind == .ended, event.of == .rule(index) {
            return "the rule waits for its own end"
        }
        let begin = Instant.start.advanced(by: rules[index].when.first(before: limit))
        if let due = end.clockTime(after: begin, origin: .start), due <= begin {
            return "this moment has passed when the rule begins"
        }
        // An end after the limit is allowed.
        return Self.unreachableReason(end, .nanoseconds(Int64.max), devices) { reasons[$0] == nil }
    }

    private static func unreachableReason(
        _ moment: Moment, _ limit: Duration, _ devices: [Device], _ canFire: (Int) -> Bool
    ) -> String? {
        switch moment {
        case .start, .end: return nil
        case .time(let time), .repeated(let time, _, _):
            return time > limit ? "this is after the scenario's limit of \((limit / .seconds(1)).plain) s" : nil
        case .event(let event):
            if case .rule(let rule)? = event.of, !canFire(rule) {
                return "the rule that this depends on can never fire"
            }
            if event.delay > limit { return "this is after the scenario's limit of \((limit / .seconds(1)).plain) s" }
            guard let device = event.of?.device else { return nil }
            if event.kind == .advertising, devices[device].role == .central { return "a central does not advertise" }
            if devices[device].role == .central || devices[device].advertising.isConnectable { return nil }
            return event.kind == .advertising ? nil : "this device does not accept connections"
        }
    }
}

extension [Rule] {
    /// The last known time of the rules; for an event, its delay.
    var lastMoment: Duration {
        reduce(.zero) { last, rule in
            var end = rule.when.latest
            if case .after(let duration)? = rule.end { end += duration }
            if case .at(let moment)? = rule.end { end = Swift.max(end, moment.latest) }
            return Swift.max(last, end)
        }
    }
}

extension Moment {
    /// The least number of its occurrences, if there are any.
    func minimumTimes(before limit: Duration) -> Int {
        guard case .repeated(let first, let every, let times) = self, every > .zero, first <= limit else { return 1 }
        let most = (limit - first) / every
        return min(times ?? .max, most < 1e9 ? Int(most) + 1 : 1_000_000_000)
    }

    /// The earliest time of the first occurrence.
    fileprivate func first(before limit: Duration) -> Duration {
        switch self {
        case .start: .zero
        case .end: limit
        case .time(let time), .repeated(let time, _, _): time
        case .event(let event): event.delay
        }
    }

    fileprivate var latest: Duration {
        switch self {
        case .start, .end: .zero
        case .time(let time): time
        case .repeated(let first, let every, let times): first + every * Double((times ?? 1) - 1)
        case .event(let event): event.delay
        }
    }
}
