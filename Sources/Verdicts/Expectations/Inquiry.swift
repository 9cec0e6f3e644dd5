public import Simulation

/// What a person is asked about what a client shows.
public struct Inquiry: Hashable, Sendable {
    /// What a person says.
    public enum Answer: Hashable, Sendable {
        /// It was shown.
        case yes
        /// It was not.
        case no
        /// Something was shown; what that was has been told as something that the client said.
        case shown
        /// They cannot tell.
        case unknown
        /// Nobody answers any more.
        case nobody
    }

    /// What an answer is worth.
    public enum Reception: Hashable, Sendable {
        /// It settles what was asked.
        case decided
        /// What was asked about is not over, and may still come.
        case early
        /// What is shown now does not say what was shown then: it is asked once more, for a yes or a no.
        case unclear
    }

    /// The index in the scenario of the expectation that it is asked for.
    public let expectation: Int
    /// From when on it is about what is shown.
    public let opened: Instant
    /// To when, and that included; nil where an event says so, or the scenario's limit.
    public let closes: Instant?
    /// Whether that time is over.
    public let isDue: Bool
    /// Whether an answer was unclear.
    public let isAgain: Bool
}
