public import EventLog

/// What is done when.
public struct Rule: Hashable, Sendable {
    /// How long something lasts.
    public enum End: Hashable, Sendable {
        /// So long.
        case after(Duration)
        /// To the next such moment.
        case at(Moment)
    }

    /// By which other rules and expectations name it.
    public var id: String?
    /// It fires at each match.
    public var when: Moment
    /// What is done.
    public var action: Action
    /// How probable it is that a match counts, 0…1.
    public var chance: Double
    /// When it ends; nil: as it begins if it does not last, else never.
    public var end: End?
    /// How somebody outside said it, as JSON on one line; nil for a rule of a file.
    public var line: String?

    /// What is done when.
    public init(id: String? = nil, when: Moment, action: Action, chance: Double = 1, end: End? = nil) {
        (self.id, self.when, self.action, self.chance, self.end) = (id, when, action, chance, end)
    }
}

/// A point of time, or each of several.
public enum Moment: Hashable, Sendable {
    /// Once, as the scenario begins.
    case start
    /// Once, as it ends.
    case end
    /// Once, so long after the start.
    case time(Duration)
    /// First so long after the start, and then again and again; `times` in all, or until the end.
    case repeated(first: Duration, every: Duration, times: Int?)
    /// Each time that something happens.
    case event(Event)
}

/// Something that happens, or that is said about something that happened.
public struct Event: Hashable, Sendable {
    /// The events, as they are written; the event log calls them the same.
    public typealias Kind = EventName

    /// Which of the matches count.
    public enum Occurrence: Hashable, Sendable {
        /// All.
        case each
        /// Only this one; counts from 1.
        case nth(Int)
        /// This one, the one as many later, and so on.
        case every(Int)
    }

    /// What else must be so.
    public enum Filter: Hashable, Sendable {
        /// A reason or error that is written as a number or by its name in the specification.
        case code(Code)
        /// The value that was carried.
        case value(Matcher)
        /// The line that a client said.
        case line(Matcher)
        /// With which a client exited.
        case status(Int)
    }

    /// What happens.
    public var kind: Kind
    /// To what; nil for anything.
    public var of: EntityReference?
    /// All of these must be so.
    public var filters: [Filter]
    /// Which matches count.
    public var occurrence: Occurrence
    /// So much later.
    public var delay: Duration
    /// What carries the thing, if it is none that is carried alone.
    public var carrier: Carrier?

    /// A characteristic whose value has a part that is named for itself, as `heart_rate` has `rr_ms`.
    public struct Carrier: Hashable, Sendable {
        /// The part that is carried with all that is in it.
        public var part: EntityReference
        /// Under which key the value has the other.
        public var key: String
    }
}

/// An error or reason, as an author wrote it.
public enum Code: Hashable, Sendable {
    /// The octet itself.
    case number(UInt8)
    /// In snake_case, as the specification calls it.
    case name(String)
}
