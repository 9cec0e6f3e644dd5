import EventLog
public import Scenarios
import Simulation

extension Judge {
    /// Under which circumstances expectations are judged.
    public struct Terms: Sendable {
        /// For a client's words: it lengthens the `within` of `seen` where a client is to say something.
        public var grace: Duration
        /// How the devices reach the client: what nobody hears there is not judged.
        public var radio: RadioKind
        /// Whether a person says what the client shows.
        ///
        /// What is expected of a client's words then becomes an ``Inquiry``, and `within` counts from the first
        /// connection on, since a person has to bring that about.
        public var asksPerson: Bool

        /// Those of a client that speaks for itself, unless something else is said.
        public init(grace: Duration = .zero, radio: RadioKind = .virtual, asksPerson: Bool = false) {
            (self.grace, self.radio, self.asksPerson) = (grace, radio, asksPerson)
        }

        /// Why an expectation cannot be judged; nil when it can.
        func whyNotJudged(_ expectation: Expectation) -> String? {
            for event in expectation.events {
                if let why = radio.unobservableReason(event.kind) {
                    return "\(event.kind.rawValue) is not heard of: \(why)"
                }
            }
            return asksPerson ? expectation.whyNotAsked : nil
        }
    }
}

/// An expectation that is not judged.
struct LeftOut: Trying {
    let outcome: Outcome?

    /// For a reason.
    init(_ why: String) { outcome = Outcome(verdict: .skip, reason: Reason(seen: why), at: .start) }

    mutating func advance(to now: Instant, _ context: Context) {}
    mutating func hear(_ observed: ObservedEvent, at now: Instant, _ context: Context) {}
    mutating func finish(at now: Instant, _ context: Context) {}
    mutating func release(at now: Instant) {}
}

extension Expectation {
    /// Why a person cannot be asked for it; nil when they can, or need not.
    fileprivate var whyNotAsked: String? {
        guard events.contains(where: { $0.kind == .said }) else { return nil }
        switch question {
        case .seen(let event, _), .never(let event):
            guard event.kind == .said, opens.event?.kind != .said, until?.event?.kind != .said else {
                return "it begins or ends with what a person says, whose time is not the client's"
            }
            guard case .each = event.occurrence, event.delay <= .zero else {
                return "a person does not count what a client shows"
            }
            if case .never = question, !truths.isEmpty { return "a person knows no value that must not be shown" }
            return nil
        case .count, .rate: return "a person does not count what a client shows"
        case .delay, .order: return "a person's time is not the client's"
        }
    }
}
