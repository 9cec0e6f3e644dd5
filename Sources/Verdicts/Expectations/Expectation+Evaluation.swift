import ScenarioModel

extension Expectation {
    func evaluator(in scenario: Scenario, _ terms: Judge.Terms) -> any ExpectationEvaluator {
        let skipReason = terms.unsupportedReason(for: self)
        if terms.asksOperator, skipReason == nil, let evaluator = OperatorEvaluator(self) { return evaluator }
        func evaluator(_ condition: some OpeningCondition) -> any ExpectationEvaluator {
            Evaluator(self, condition, on: terms, skippedBecause: skipReason)
        }
        switch question {
        case .seen(let event, _), .delay(_, let event, _, _):
            return evaluator(Tally(event, Limits(min: 1, max: nil)))
        case .never(let event): return evaluator(Tally(event, Limits(min: nil, max: 0)))
        case .count(let event, let limits): return evaluator(Tally(event, limits))
        case .order(let events): return evaluator(Order(occurrences: events.map(\.occurrence)))
        case .rate(let event, let length, let limits):
            let matching = scenario.streams.filter { $0.kind == event.kind && event.of?.includes($0.entity) ?? true }
            return evaluator(Rate(per: length, limits, patience: matching.map(\.reach).max() ?? .zero))
        case .stream(let lines, let maximum):
            return StreamEvaluator(self, lines, within: maximum, in: scenario, on: terms, skippedBecause: skipReason)
        }
    }

    /// How long it stays open.
    var bound: Duration? {
        switch question {
        case .seen(_, let within): within
        case .delay(_, _, _, let maximum): maximum
        case .stream(_, let maximum): maximum
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

    /// The `$truth` of a line that has to show the value whose delivery opens the expectation, or a fresh one; empty if
    /// it is about something else.
    var askedTruths: [Matcher.Truth] {
        guard let answer else { return [] }
        let isDelivery = opens.event.map {
            [.delivered, .indicated, .read, .advertised].contains($0.kind) && $0.delay <= .zero
        }
        return answer.truths.filter { $0.isFresh || $0.isLastValue && isDelivery == true }
    }

    /// Whether a fault is that an event came too often.
    func isExceeded(by fault: Decision.Fault?) -> Bool {
        let limits: Limits
        switch question {
        case .never: return true
        case .count(_, let own), .rate(_, _, let own): limits = own
        case .seen, .delay, .order, .stream: return false
        }
        switch fault {
        case .count(let count), .window(_, _, let count): return Double(count) > limits.max ?? .infinity
        default: return false
        }
    }

    /// All `$truth` in it.
    var truths: [Matcher.Truth] { events.flatMap(\.truths) }
}
