public import Simulation

/// What happened during a case, as far as the figure in a report shows it.
public struct CaseTimeline: Hashable, Sendable {
    /// The state of a device.
    public enum Phase: String, CaseIterable, Sendable {
        /// Neither advertising nor connected.
        case silent
        /// Advertising.
        case advertising
        /// A client is connected.
        case connected
        /// A client has subscribed to a value.
        case subscribed
        /// The script has removed it from the air.
        case away
    }

    /// The time during which something was in a state.
    public struct Span<Content: Hashable & Sendable>: Hashable, Sendable {
        /// The state.
        public let content: Content
        /// Its beginning.
        public let begin: Instant
        /// Its end.
        public var end: Instant
    }

    /// The states of a device during the case.
    public struct Lane: Hashable, Sendable {
        /// The device's id.
        public let name: String
        /// Consecutive, without gaps.
        public internal(set) var spans: [Span<Phase>] = []
        /// The heart rates that arrived at the client's link layer.
        public internal(set) var heartRate = Curve()
    }

    /// A line that the client printed.
    public struct PrintedLine: Hashable, Sendable {
        /// When it arrived.
        public let instant: Instant
        /// JSON, truncated if long.
        public let line: String
    }

    /// In the order of the scenario.
    public internal(set) var lanes: [Lane]
    /// The actions of the script's rules, `sprint: set`, in the order in which they began.
    public internal(set) var operations: [Span<String>] = []
    /// The heart rates that the client printed.
    public internal(set) var shown = Curve()
    /// A sample of the client's lines of each kind.
    public internal(set) var printedLines: [PrintedLine] = []
    /// How many more lines it printed.
    public internal(set) var omittedLineCount = 0
}
