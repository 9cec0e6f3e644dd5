/// A condition on the events of a scenario.
public struct Expectation: Hashable, Sendable {
    /// The kind of condition.
    public enum Question: Hashable, Sendable {
        /// The event occurs in time.
        case seen(Event, within: Duration)
        /// The event does not occur.
        case never(Event)
        /// The number of occurrences is within limits.
        case count(Event, Limits)
        /// The events occur in this order.
        case order([Event])
        /// The number of occurrences in each window is within limits.
        case rate(Event, per: Duration, Limits)
        /// The time from one event to another does not exceed a maximum, in a percentage of the cases.
        case delay(from: Event, to: Event, percentile: Double, maximum: Duration)
    }

    /// An inclusive range; nil for no bound.
    public struct Limits: Hashable, Sendable {
        /// The lower bound.
        public var min: Double?
        /// The upper bound.
        public var max: Double?

        /// A range.
        public init(min: Double? = nil, max: Double? = nil) { (self.min, self.max) = (min, max) }
    }

    /// Its name in reports.
    public var id: String
    /// The condition.
    public var question: Question
    /// Opens it, at each match.
    public var since: Moment
    /// Closes it this long after it opens, at the latest.
    public var within: Duration?
    /// Closes it.
    public var until: Moment?
    /// The test case or requirement that it checks.
    public var requirement: String?
    /// Whether it is a recommendation only.
    public var isRecommendation: Bool
}

/// A pattern for JSON values.
public indirect enum Matcher: Hashable, Sendable {
    /// A member of an object.
    public struct Member: Hashable, Sendable {
        /// Its key.
        public var key: String
        /// The pattern for its value.
        public var matcher: Matcher
    }

    /// The statistic over delivered values.
    public enum Statistic: String, CaseIterable, Sendable {
        /// The newest.
        case last
        /// The arithmetic mean.
        case mean
        /// The most frequent value; of several, the lowest.
        case mode
        /// The number of values.
        case count
        /// The sum.
        case sum
    }

    /// A statistic over the delivered values of an entity.
    public struct Truth: Hashable, Sendable {
        /// The statistic.
        public var statistic: Statistic
        /// The value's entity.
        public var of: EntityReference
        /// The number of latest values that count; nil for all.
        public var last: Int?
        /// Only values below this count.
        public var below: Double?
        /// The allowed deviation.
        public var tolerance: Double
    }

    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// This number.
    case number(Double)
    /// This string.
    case string(String)
    /// Element by element.
    case list([Matcher])
    /// An object that has at least these members.
    case object([Member])
    /// A list all of whose elements match.
    case each(Matcher)
    /// Any of these patterns.
    case oneOf([Matcher])
    /// A number in a range.
    case between(Expectation.Limits)
    /// Anything (`true`), or nothing.
    case any(Bool)
    /// Any value that the pattern does not match.
    case not(Matcher)
    /// A value that was delivered.
    case truth(Truth)
}
