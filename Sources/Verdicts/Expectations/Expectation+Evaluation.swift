import EventLog
package import Scenarios

extension Expectation {
    func evaluator(streams: [Stream], _ terms: Judge.Terms) -> any ExpectationEvaluator {
        if let reason = terms.unsupportedReason(for: self) { return SkippedEvaluator(reason) }
        let isHeld = terms.asksOperator
        if isHeld, let evaluator = OperatorEvaluator(self) { return evaluator }
        switch question {
        case .seen(let event, _):
            let isSaid = event.kind == .said
            return Evaluator(
                self, Tally(event, Limits(min: 1, max: nil)), grace: isSaid ? terms.grace : .zero, isHeld: isHeld)
        case .never(let event):
            return Evaluator(self, Tally(event, Limits(min: nil, max: 0)), grace: .zero, isHeld: isHeld)
        case .count(let event, let limits): return Evaluator(self, Tally(event, limits), grace: .zero, isHeld: isHeld)
        case .delay(_, let event, _, _):
            return Evaluator(self, Tally(event, Limits(min: 1, max: nil)), grace: .zero, isHeld: isHeld)
        case .order(let events):
            return Evaluator(self, Order(occurrences: events.map(\.occurrence)), grace: .zero, isHeld: isHeld)
        case .rate(let event, let length, let limits):
            let matching = streams.filter { $0.kind == event.kind && event.of?.includes($0.entity) ?? true }
            let patience = matching.map(\.reach).max() ?? .zero
            return Evaluator(self, Rate(per: length, limits, patience: patience), grace: .zero, isHeld: isHeld)
        }
    }

    var opens: Moment { if case .delay(let event, _, _, _) = question { .event(event) } else { since } }

    /// The events that should come, or should not.
    var expected: [Event] {
        switch question {
        case .seen(let event, _), .never(let event), .count(let event, _), .rate(let event, _, _),
            .delay(_, let event, _, _):
            [event]
        case .order(let events): events
        }
    }

    /// All its events, with those that open and close it.
    package var events: [Event] { expected + [opens.event, until?.event].compactMap(\.self) }

    /// How long it stays open.
    var bound: Duration? {
        switch question {
        case .seen(_, let within): within
        case .delay(_, _, _, let maximum): maximum
        case .never, .count, .order, .rate: within
        }
    }

    /// The percentage of the openings that must pass.
    var percentile: Double { if case .delay(_, _, let percentile, _) = question { percentile } else { 100 } }

    /// Whether it closes at the scenario's limit; otherwise the limit cuts it off.
    var closesAtLimit: Bool {
        switch question {
        case .never, .count: within == nil && until == nil || within == nil && until == .end
        default: false
        }
    }

    /// The `$truth` of a line that should show the value whose delivery opens the expectation; empty if it is about
    /// something else.
    var askedTruths: [Matcher.Truth] {
        switch question {
        case .seen(let event, _), .delay(_, let event, _, _):
            guard event.kind == .said, event.occurrence == .each, event.delay <= .zero,
                let opening = opens.event, [.delivered, .indicated, .read].contains(opening.kind),
                opening.delay <= .zero
            else { return [] }
            return event.truths.filter(\.isLastValue)
        case .never, .count, .order, .rate: return []
        }
    }

    /// All `$truth` in it.
    var truths: [Matcher.Truth] { events.flatMap(\.truths) }
}

extension Event {
    /// All `$truth` in its filters.
    var truths: [Matcher.Truth] {
        filters.flatMap { filter -> [Matcher.Truth] in
            switch filter {
            case .value(let matcher), .line(let matcher): matcher.truths
            case .code, .status: []
            }
        }
    }
}

extension Matcher {
    fileprivate var truths: [Truth] {
        switch self {
        case .truth(let truth): [truth]
        case .list(let matchers), .oneOf(let matchers): matchers.flatMap(\.truths)
        case .object(let members): members.flatMap(\.matcher.truths)
        case .each(let matcher), .not(let matcher): matcher.truths
        case .null, .bool, .number, .string, .between, .any: []
        }
    }
}
