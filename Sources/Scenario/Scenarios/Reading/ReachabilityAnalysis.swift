import EventLog
import Simulation

/// What can come to pass in a scenario, as far as its text tells.
struct ReachabilityAnalysis {
    let rules: [Rule]
    let limit: Duration
    let devices: [Device]
    /// For each rule, why it cannot fire; nil when it can.
    private let reasons: [String?]

    init(rules: [Rule], limit: Duration, devices: [Device]) {
        (self.rules, self.limit, self.devices) = (rules, limit, devices)
        // A rule that waits for a rule can fire only after it: what is never ready waits, in the end, for itself.
        var canFire = rules.map { _ in false }
        var followers: [[Int]] = rules.map { _ in [] }
        var ready: [Int] = []
        for (index, rule) in rules.enumerated() where rule.chance > 0 {
            guard Self.unsupportedReason(rule.when, limit, devices, { _ in true }) == nil else { continue }
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
            rule.chance > 0 ? Self.unsupportedReason(rule.when, limit, devices) { canFire[$0] } : "its chance is 0"
        }
    }

    func unsupportedReason(rule: Int) -> String? { reasons[rule] }

    /// Why a moment never comes; nil when it can.
    func unsupportedReason(_ moment: Moment) -> String? {
        Self.unsupportedReason(moment, limit, devices) { reasons[$0] == nil }
    }

    /// Why a rule that fires never comes to the moment until which it lasts; nil when it can, or has none.
    func whyNeverEnds(rule index: Int) -> String? {
        guard case .at(let end)? = rules[index].end else { return nil }
        if case .event(let event) = end, event.kind == .ended, event.of == .rule(index) {
            return "the rule would wait for its own end"
        }
        let begin = Instant.start.advanced(by: rules[index].when.first(before: limit))
        if let due = end.clockTime(after: begin, origin: .start), due <= begin {
            return "this moment is over when the rule begins"
        }
        // What lasts to the limit, and would last longer, is right.
        return Self.unsupportedReason(end, .nanoseconds(Int64.max), devices) { reasons[$0] == nil }
    }

    private static func unsupportedReason(
        _ moment: Moment, _ limit: Duration, _ devices: [Device], _ canFire: (Int) -> Bool
    ) -> String? {
        switch moment {
        case .start, .end: return nil
        case .time(let time), .repeated(let time, _, _):
            return time > limit ? "this is behind the limit, at which the scenario ends" : nil
        case .event(let event):
            if case .rule(let rule)? = event.of, !canFire(rule) { return "the rule that this waits for cannot fire" }
            if event.delay > limit { return "this is behind the limit, at which the scenario ends" }
            guard let device = event.of?.device else { return nil }
            if event.kind == .advertising, devices[device].role == .central { return "a central does not advertise" }
            if devices[device].role == .central || devices[device].advertising.isConnectable { return nil }
            return event.kind == .advertising ? nil : "nothing can connect to this device"
        }
    }
}

extension [Rule] {
    /// The last moment that they name; of what comes after an event, how long after.
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
    /// How often it comes for sure, if it comes at all.
    func leastTimes(before limit: Duration) -> Int {
        guard case .repeated(let first, let every, let times) = self, every > .zero, first <= limit else { return 1 }
        let most = (limit - first) / every
        return min(times ?? .max, most < 1e9 ? Int(most) + 1 : 1_000_000_000)
    }

    /// When it comes first, at the earliest.
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
