import Basics
import Documents

/// Finds rules and moments of a scenario that can never occur.
package struct ReachabilityAnalysis {
    private let rules: [Rule]
    /// The scenario's limit.
    package let limit: Duration
    private let devices: [Device]
    private let unreadable: Set<Int>
    private let reasons: [Reason?]

    /// Why a moment never occurs, and the fix.
    package struct Reason {
        package let message: String
        package let help: String
        package let isAfterLimit: Bool

        fileprivate init(_ message: String, _ help: String, isAfterLimit: Bool = false) {
            (self.message, self.help, self.isAfterLimit) = (message, help, isAfterLimit)
        }
    }

    /// The rules that could not be read can fire.
    package init(rules: [Rule], limit: Duration, devices: [Device], unreadable: Set<Int>) {
        (self.rules, self.limit, self.devices, self.unreadable) = (rules, limit, devices, unreadable)
        let heads = Self.headsOfCycles(
            rules.enumerated().map { index, rule in
                guard !unreadable.contains(index), case .event(let event) = rule.when, case .rule(let other)? = event.of
                else { return nil }
                return other
            })
        reasons = rules.enumerated().map { index, rule in
            if unreadable.contains(index) { return nil }
            if rule.chance <= 0 { return Reason("this rule can never fire: its chance is 0", "write a chance above 0") }
            if let length = heads[index] {
                let message = length == 1 ? "this rule waits for itself" : "\(length) rules wait for each other"
                return Reason(message, "let it begin at a time or at another event")
            }
            return Self.unreachableReason(rule.when, limit, devices)
        }
    }

    /// Why a rule cannot fire; nil if it can, or if only a rule that it depends on cannot: that one is reported.
    package func unreachableReason(rule: Int) -> Reason? { reasons[rule] }

    /// A time before which a moment does not occur.
    package func earliest(_ moment: Moment) -> Duration {
        let first = moment.first(before: limit)
        guard case .event(let event) = moment, case .rule(let index)? = event.of, rules.indices.contains(index),
            !unreadable.contains(index)
        else { return first }
        let begin = first + rules[index].when.first(before: limit)
        return switch (event.kind, rules[index].end) {
        case (.ended, .after(let duration)?): begin + duration
        default: begin
        }
    }

    /// Why a moment never occurs; nil if it can, or if it depends on a rule: that one is reported.
    package func unreachableReason(_ moment: Moment) -> Reason? { Self.unreachableReason(moment, limit, devices) }

    /// Why a rule never reaches its `until`; nil if it can, or has none.
    package func endlessReason(rule index: Int) -> Reason? {
        guard case .at(let end)? = rules[index].end else { return nil }
        if case .event(let event) = end, event.kind == .ended, event.of == .rule(index) {
            return Reason("the rule waits for its own end", "end it with \"for\", or at another event")
        }
        let begin = Instant.start.advanced(by: rules[index].when.first(before: limit))
        if let due = end.clockTime(after: begin, origin: .start), due <= begin {
            return Reason(
                "this moment has passed when the rule begins",
                "\"until\" counts from the start of the scenario; a duration is written with \"for\"")
        }
        // An end after the limit is allowed.
        return Self.unreachableReason(end, .nanoseconds(Int64.max), devices)
    }

    /// The first rule of each group of rules that depend on each other, and the size of the group.
    private static func headsOfCycles(_ dependencies: [Int?]) -> [Int: Int] {
        var heads: [Int: Int] = [:]
        var visits = dependencies.map { _ in 0 }
        for start in dependencies.indices {
            var place: Int? = start
            while let index = place, visits[index] == 0 {
                visits[index] = start + 1
                place = dependencies[index]
            }
            guard let head = place, visits[head] == start + 1 else { continue }
            var cycle = [head]
            while let next = dependencies[cycle[cycle.count - 1]], next != head { cycle.append(next) }
            heads[cycle.min() ?? head] = cycle.count
        }
        return heads
    }

    private static func unreachableReason(_ moment: Moment, _ limit: Duration, _ devices: [Device]) -> Reason? {
        func late(_ time: Duration) -> Reason? {
            guard time > limit else { return nil }
            let text = "this is after the scenario's limit of \((limit / .seconds(1)).plain) s"
            return Reason(text, "use an earlier time, or a larger \"limit\"", isAfterLimit: true)
        }
        switch moment {
        case .start, .end: return nil
        case .time(let time), .repeated(let time, _, _): return late(time)
        case .event(let event):
            if let reason = late(event.delay) { return reason }
            guard let device = event.of?.device else { return nil }
            let isAdvertising = event.kind == .advertising || event.kind == .advertised
            if isAdvertising, devices[device].role == .central {
                return Reason("a central does not advertise", "refer to a peripheral")
            }
            if devices[device].role == .central || devices[device].advertising.isConnectable { return nil }
            return isAdvertising
                ? nil : Reason("this device does not accept connections", "delete \"connectable\" in its \"advertise\"")
        }
    }
}

extension [Rule] {
    /// The last known time of the rules; for an event, its delay.
    package var lastMoment: Duration {
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
    package func minimumTimes(before limit: Duration) -> Int {
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
