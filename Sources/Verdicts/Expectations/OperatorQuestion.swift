public import Simulation

/// A question to the operator about what a client shows.
public struct OperatorQuestion: Hashable, Sendable {
    /// An operator's answer.
    public enum Answer: Hashable, Sendable {
        /// The client shows it.
        case yes
        /// The client does not show it.
        case no
        /// The client shows something, which has been passed on as a line of the client.
        case shown
        /// The operator cannot tell.
        case unknown
        /// There are no more answers.
        case nobody
    }

    /// The effect of an answer.
    public enum Effect: Hashable, Sendable {
        /// It decides the question.
        case decided
        /// It decides nothing: the time is not over, and the client may still show it.
        case early
        /// It decides nothing: the present display does not show the past one.  The question is repeated for a yes or no.
        case unclear
    }

    /// The index of the expectation in the scenario.
    public let expectation: Int
    /// The start of the time that the question is about.
    public let opened: Instant
    /// The end of that time, included; nil if an event or the scenario's limit ends it.
    public let closes: Instant?
    /// Whether that time is over.
    public let isDue: Bool
    /// Whether the question is a repetition after an unclear answer.
    public let isAgain: Bool
}
