import ScenarioModel

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

    /// The `$truth` of a line that has to show the value whose delivery opens the expectation, or a fresh one; empty if
    /// it is about something else.
    var askedTruths: [Matcher.Truth] {
        guard let answer else { return [] }
        let isDelivery = opens.event.map { [.delivered, .indicated, .read].contains($0.kind) && $0.delay <= .zero }
        return answer.truths.filter { $0.isFresh || $0.isLastValue && isDelivery == true }
    }

    /// All `$truth` in it.
    var truths: [Matcher.Truth] { events.flatMap(\.truths) }
}
