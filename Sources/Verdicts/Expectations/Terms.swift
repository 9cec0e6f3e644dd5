import EventLog
package import Scenarios
import Simulation

extension Judge {
    /// The conditions under which expectations are judged.
    package struct Terms: Sendable {
        /// The tolerance for lines of a client: it extends `within` of `seen`.
        package var grace: Duration
        /// How the devices reach the client; expectations of events that cannot be observed there are skipped.
        package var radio: RadioKind
        /// Whether an operator reports what the client shows.
        ///
        /// Expectations of lines then become an ``OperatorQuestion``, and `within` counts from the first connection, which
        /// the operator has to make.
        package var asksOperator: Bool

        /// By default, the conditions for a client that prints lines.
        package init(grace: Duration = .zero, radio: RadioKind = .virtual, asksOperator: Bool = false) {
            (self.grace, self.radio, self.asksOperator) = (grace, radio, asksOperator)
        }

        /// Why an expectation cannot be judged; nil if it can.
        func unsupportedReason(for expectation: Expectation) -> String? {
            for event in expectation.events {
                if let reason = radio.unobservableReason(for: event.kind) {
                    return "\(event.kind.rawValue) cannot be observed: \(reason)"
                }
            }
            return asksOperator ? expectation.reasonNotToAsk : nil
        }
    }
}

/// Skips an expectation that cannot be judged.
struct SkippedEvaluator: ExpectationEvaluator {
    let outcome: Outcome?

    init(_ reason: String) { outcome = Outcome(verdict: .skip, reason: Reason(seen: reason), at: .start) }

    mutating func advance(to now: Instant, _ context: Context) {}
    mutating func observe(_ observed: ObservedEvent, at now: Instant, _ context: Context) {}
    mutating func finish(at now: Instant, _ context: Context) {}
    mutating func release(at now: Instant) {}
}

extension Expectation {
    /// Why an operator cannot answer it; nil if one can, or need not.
    fileprivate var reasonNotToAsk: String? {
        guard events.contains(where: { $0.kind == .said }) else { return nil }
        switch question {
        case .seen(let event, _), .never(let event):
            guard event.kind == .said, opens.event?.kind != .said, until?.event?.kind != .said else {
                return "it begins or ends with a line, and the time of an operator's answer is not that of the display"
            }
            guard case .each = event.occurrence, event.delay <= .zero else {
                return "an operator cannot count what a client shows"
            }
            if case .never = question, !truths.isEmpty {
                return "an operator does not know the value that must not be shown"
            }
            return nil
        case .count, .rate: return "an operator cannot count what a client shows"
        case .delay, .order: return "the time of an operator's answer is not that of the display"
        }
    }
}
