package import Basics

/// A question to the operator about what a client shows.
package struct OperatorQuestion: Hashable, Sendable {
    package enum Answer: Hashable, Sendable {
        case yes
        case no
        /// The client shows something, which has been passed on as a line of the client.
        case shown
        case unknown
        /// There are no more answers.
        case nobody
    }

    package enum Effect: Hashable, Sendable {
        case decided
        /// It decides nothing: the time is not over, and the client may still show it.
        case early
        /// It decides nothing: the present display does not show the past one.  The question is repeated for a yes or no.
        case unclear
    }

    package let expectation: Int
    /// The start of the time that the question is about.
    package let opened: Instant
    /// The end of that time, included; nil if an event or the scenario's limit ends it.
    package let closes: Instant?
    package let isDue: Bool
    /// Whether the question is a repetition after an unclear answer.
    package let isAgain: Bool
}
