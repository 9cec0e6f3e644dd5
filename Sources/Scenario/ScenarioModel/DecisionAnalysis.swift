import Basics

extension Expectation {
    /// When it is decided at the latest, since the start of the scenario; nil if only the scenario's limit decides it, or if
    /// it opens at an event.
    package var latestDecision: Duration? {
        guard let opens = since.onlyTime else { return nil }
        switch question {
        case .seen(let event, let within): return opens + within + event.delay
        case .never, .count: return [within.map { opens + $0 }, until?.onlyTime].compactMap(\.self).min()
        case .order, .rate: return until?.onlyTime
        case .delay, .stream: return nil
        }
    }
}

extension [Expectation] {
    /// When all are decided at the latest, so that the scenario ends; nil if that is its limit.
    package var latestDecision: Duration? {
        var latest = Duration.zero
        for expectation in self {
            guard let decision = expectation.latestDecision else { return nil }
            latest = Swift.max(latest, decision)
        }
        return isEmpty ? nil : latest
    }
}

extension Moment {
    /// The time of a moment that occurs once; nil for others.
    fileprivate var onlyTime: Duration? {
        switch self {
        case .start: .zero
        case .time(let time): time
        case .end, .repeated, .event: nil
        }
    }
}
