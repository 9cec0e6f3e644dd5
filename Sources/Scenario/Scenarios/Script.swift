public import EventLog

/// An action, and when it begins and ends.
public struct Rule: Hashable, Sendable {
    /// The end of an action.
    public enum End: Hashable, Sendable {
        /// After a duration.
        case after(Duration)
        /// At the next match of a moment.
        case at(Moment)
    }

    /// Its name in other rules and in expectations.
    public var id: String?
    /// It fires at each match.
    public var when: Moment
    /// The action and its target.
    public var action: Action
    /// The probability that a match counts, 0…1.
    public var chance: Double
    /// The end of a lasting action; nil for none.
    public var end: End?
    /// The line of the control socket that it comes from; nil for a rule of a file.
    public var line: String?

    /// A rule.
    public init(id: String? = nil, when: Moment, action: Action, chance: Double = 1, end: End? = nil) {
        (self.id, self.when, self.action, self.chance, self.end) = (id, when, action, chance, end)
    }
}

/// One or several points in time.
public enum Moment: Hashable, Sendable {
    /// The start of the scenario.
    case start
    /// The end of the scenario.
    case end
    /// A time since the start.
    case time(Duration)
    /// A time since the start, and its repetitions: `times` in all, or until the end.
    case repeated(first: Duration, every: Duration, times: Int?)
    /// Each match of an event.
    case event(Event)
}

/// A pattern that matches events of the log.
public struct Event: Hashable, Sendable {
    /// The events of the language and of the event log.
    public typealias Kind = EventName

    /// The matches that count.
    public enum Occurrence: Hashable, Sendable {
        /// All.
        case each
        /// Only the one with this number, counted from 1.
        case nth(Int)
        /// Those whose number is a multiple of this.
        case every(Int)
    }

    /// A further condition.
    public enum Filter: Hashable, Sendable {
        /// A reason or error.
        case code(Code)
        /// The value.
        case value(Matcher)
        /// The line of a client.
        case line(Matcher)
        /// A client's exit status.
        case status(Int)
    }

    /// The kind of event.
    public var kind: Kind
    /// The target; nil for any.
    public var of: EntityReference?
    /// Conditions that all must hold.
    public var filters: [Filter]
    /// The matches that count.
    public var occurrence: Occurrence
    /// The delay after the event.
    public var delay: Duration
    /// The characteristic value that includes the target, if the target is not a characteristic value itself.
    public var carrier: Carrier?

    /// A characteristic value that includes another value, as `heart_rate` includes `rr_ms`.
    public struct Carrier: Hashable, Sendable {
        /// The characteristic value.
        public var part: EntityReference
        /// The key of the included value.
        public var key: String
    }
}

/// An error or reason, as written in a file.
public enum Code: Hashable, Sendable {
    /// The octet itself.
    case number(UInt8)
    /// The specification's name, in snake_case.
    case name(String)
}
