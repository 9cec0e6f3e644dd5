public import Simulation

/// What happened while a case was played, as much of it as a picture needs.
public struct Chronicle: Hashable, Sendable {
    /// How it stands with a device.
    public enum Phase: String, CaseIterable, Sendable {
        /// It is not to be heard.
        case silent
        /// It advertises.
        case advertising
        /// Somebody is connected to it.
        case connected
        /// Somebody has subscribed to one of its values.
        case subscribed
        /// The script has taken it out of the air.
        case away
    }

    /// For how long something was so.
    public struct Span<Content: Hashable & Sendable>: Hashable, Sendable {
        /// What was so.
        public let content: Content
        /// Since when.
        public let begin: Instant
        /// Until when.
        public var end: Instant
    }

    /// A device, from the beginning to the end of the case.
    public struct Lane: Hashable, Sendable {
        /// Its id.
        public let name: String
        /// In the order of time, one behind the other.
        public internal(set) var spans: [Span<Phase>] = []
        /// The heart rates that arrived at its client's link layer.
        public internal(set) var heartRate = Curve()
    }

    /// What the client said.
    public struct Saying: Hashable, Sendable {
        /// When.
        public let instant: Instant
        /// As JSON; only the beginning of a long one.
        public let line: String
    }

    /// In the order of the scenario.
    public internal(set) var lanes: [Lane]
    /// What rules of the script did, `sprint: set`, in the order in which they began.
    public internal(set) var operations: [Span<String>] = []
    /// The heart rates that the client showed.
    public internal(set) var shown = Curve()
    /// Some of each kind of what the client said.
    public internal(set) var sayings: [Saying] = []
    /// How much more it said.
    public internal(set) var sayingsLeftOut = 0
}
