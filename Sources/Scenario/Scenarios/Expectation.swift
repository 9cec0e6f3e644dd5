/// What should be seen.
public struct Expectation: Hashable, Sendable {
    /// What is asked.
    public enum Question: Hashable, Sendable {
        /// The event comes in time.
        case seen(Event, within: Duration)
        /// The event does not come.
        case never(Event)
        /// It comes so often.
        case count(Event, Limits)
        /// They come one after the other.
        case order([Event])
        /// It comes so often in each window.
        case rate(Event, per: Duration, Limits)
        /// From the first event to the second it takes at most so long, in so many per cent of the cases.
        case delay(from: Event, to: Event, percentile: Double, most: Duration)
    }

    /// Between these, both included; nil for no bound.
    public struct Limits: Hashable, Sendable {
        /// At least.
        public var min: Double?
        /// At most.
        public var max: Double?

        /// At least, and at most.
        public init(min: Double? = nil, max: Double? = nil) { (self.min, self.max) = (min, max) }
    }

    /// What reports call it.
    public var id: String
    /// What is asked.
    public var question: Question
    /// Opens it, each time.
    public var since: Moment
    /// Closes it, at the latest so long after it was opened.
    public var within: Duration?
    /// Closes it.
    public var until: Moment?
    /// The test case or requirement that it checks.
    public var requirement: String?
    /// Whether it is a recommendation only.
    public var isRecommendation: Bool
}

/// What a value must be like.
public indirect enum Matcher: Hashable, Sendable {
    /// A member of an object.
    public struct Member: Hashable, Sendable {
        /// Its key.
        public var key: String
        /// What its value must be like.
        public var matcher: Matcher
    }

    /// How a truth is made of what was delivered.
    public enum Statistic: String, CaseIterable, Sendable {
        /// The newest.
        case last
        /// The arithmetic mean.
        case mean
        /// The most frequent; of equally frequent ones, the lowest.
        case mode
        /// How many.
        case count
        /// All of them together.
        case sum
    }

    /// What was delivered.
    public struct Truth: Hashable, Sendable {
        /// How it is made.
        public var statistic: Statistic
        /// Of this part.
        public var of: EntityReference
        /// Of the last so many values only.
        public var last: Int?
        /// Of values below this only.
        public var below: Double?
        /// So far off is near enough.
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
    /// A list, each of whose elements is like this.
    case each(Matcher)
    /// One of these fits.
    case oneOf([Matcher])
    /// A number between these.
    case between(Expectation.Limits)
    /// Anything (`true`), or nothing.
    case any(Bool)
    /// Whatever this does not fit.
    case not(Matcher)
    /// What was delivered.
    case truth(Truth)
}
