package import Basics

/// What happened during a case, as far as the figure in a report shows it.
package struct CaseTimeline: Hashable, Sendable {
    package enum Phase: String, CaseIterable, Sendable {
        /// Neither advertising nor connected.
        case silent
        case advertising
        case connected
        /// A client has subscribed to a value.
        case subscribed
        /// The script has removed it from the air.
        case away
    }

    /// The time during which something was in a state.
    package struct Span<Content: Hashable & Sendable>: Hashable, Sendable {
        package let content: Content
        package let begin: Instant
        package var end: Instant
    }

    /// The states of a device during the case.
    package struct Lane: Hashable, Sendable {
        package let name: String
        /// Consecutive, without gaps.
        package internal(set) var spans: [Span<Phase>] = []
        /// The heart rates that arrived at the client's link layer.
        package internal(set) var heartRate = Curve()
    }

    /// A line that the client printed.
    package struct PrintedLine: Hashable, Sendable {
        package let instant: Instant
        /// JSON, truncated if long.
        package let line: String
    }

    /// In the order of the scenario.
    package internal(set) var lanes: [Lane]
    /// The actions of the script's rules, `sprint: set`, in the order in which they began.
    package internal(set) var operations: [Span<String>] = []
    /// The heart rates that the client printed.
    package internal(set) var shown = Curve()
    /// A sample of the client's lines of each kind.
    package internal(set) var printedLines: [PrintedLine] = []
    /// How many more lines it printed.
    package internal(set) var omittedLineCount = 0
}
