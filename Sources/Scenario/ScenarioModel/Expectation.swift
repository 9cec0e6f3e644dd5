/// A condition on the events of a scenario.
package struct Expectation: Hashable, Sendable {
    /// The kind of condition.
    package enum Question: Hashable, Sendable {
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
        /// The client's lines show each sample of a stream once, in order and within a time, and tell how many were lost.
        case stream(StreamLines, maximum: Duration?)
    }

    /// An inclusive range; nil for no bound.
    package struct Limits: Hashable, Sendable {
        package var min: Double?
        package var max: Double?

        package init(min: Double? = nil, max: Double? = nil) { (self.min, self.max) = (min, max) }
    }

    package var id: String
    package var question: Question
    /// Opens it, at each match.
    package var since: Moment
    /// Closes it this long after it opens, at the latest.
    package var within: Duration?
    package var until: Moment?
    /// The test case or requirement that it checks.
    package var requirement: String?
    package var isRecommendation = false

    package init(id: String, _ question: Question, since: Moment) {
        (self.id, self.question, self.since) = (id, question, since)
    }
}

extension Expectation {
    /// When it opens.
    package var opens: Moment { if case .delay(let event, _, _, _) = question { .event(event) } else { since } }

    /// The events that should come, or should not.
    package var expected: [Event] {
        switch question {
        case .seen(let event, _), .never(let event), .count(let event, _), .rate(let event, _, _),
            .delay(_, let event, _, _):
            [event]
        case .order(let events): events
        case .stream(let lines, _): [lines.shown]
        }
    }

    /// All its events, with those that open and close it.
    package var events: [Event] {
        let others = if case .stream(let lines, _) = question { lines.arrivals } else { [] as [Event] }
        return expected + others + [opens.event, until?.event].compactMap(\.self)
    }

    /// The line of the client that answers each opening; nil if it does not ask for one line at a time.
    package var answer: Event? {
        switch question {
        case .seen(let event, _), .delay(_, let event, _, _):
            event.kind == .said && event.occurrence == .each && event.delay <= .zero ? event : nil
        case .never, .count, .order, .rate, .stream: nil
        }
    }
}

extension Event {
    /// All `$truth` in its filters.
    package var truths: [Matcher.Truth] {
        filters.flatMap { filter -> [Matcher.Truth] in
            switch filter {
            case .value(let matcher), .line(let matcher): matcher.truths
            case .code, .status, .descriptor: []
            }
        }
    }

    /// Whether a value has to be delivered first.
    package var needsFreshValue: Bool { truths.contains(where: \.isFresh) }
}

extension Matcher {
    fileprivate var truths: [Truth] {
        switch self {
        case .truth(let truth): [truth]
        case .list(let matchers), .oneOf(let matchers): matchers.flatMap(\.truths)
        case .object(let members): members.flatMap(\.matcher.truths)
        case .each(let matcher), .not(let matcher): matcher.truths
        case .null, .bool, .number, .string, .between, .any: []
        }
    }
}

/// A pattern for JSON values.
package indirect enum Matcher: Hashable, Sendable {
    /// A member of an object.
    package struct Member: Hashable, Sendable {
        package var key: String
        package var matcher: Matcher

        package init(key: String, matcher: Matcher) { (self.key, self.matcher) = (key, matcher) }
    }

    /// The statistic over delivered values.
    package enum Statistic: String, CaseIterable, Sendable {
        case last
        case mean
        /// The most frequent value; of several, the lowest.
        case mode
        case count
        case sum
    }

    /// How a value compares with a statistic.
    package enum Relation: String, CaseIterable, Sendable {
        case equal
        case atLeast = "at_least"
        case atMost = "at_most"
    }

    /// A statistic over the delivered values of an entity, or over values that the client printed before.
    package struct Truth: Hashable, Sendable {
        package var statistic: Statistic
        /// The value's entity, or the client.
        package var of: EntityReference
        /// The keys of a value in the client's lines; empty unless `of` is the client.
        package var keys: [String] = []
        /// The name of an advertised field, if it is about what a device has advertised.
        package var advertised: String?
        /// The number of latest values that count; nil for all.
        package var last: Int?
        /// Only values below this count.
        package var below: Double?
        package var tolerance = 0.0
        /// Of the value that matches, to the statistic and `offset` together.
        package var relation = Relation.equal
        package var offset = 0.0
        /// Whether only a value counts that was delivered since the expectation opened.
        package var isFresh = false

        package init(_ statistic: Statistic, of entity: EntityReference) { (self.statistic, of) = (statistic, entity) }
    }

    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    case number(Double)
    case string(String)
    case list([Matcher])
    case object([Member])
    /// A list all of whose elements match.
    case each(Matcher)
    /// Any of these patterns.
    case oneOf([Matcher])
    case between(Expectation.Limits)
    /// Anything (`true`), or nothing.
    case any(Bool)
    /// Any value that the pattern does not match.
    case not(Matcher)
    case truth(Truth)
}
