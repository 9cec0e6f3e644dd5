package import Basics
package import Bluetooth

/// An action, and when it begins and ends.
package struct Rule: Hashable, Sendable {
    /// The end of an action.
    package enum End: Hashable, Sendable {
        case after(Duration)
        /// At the next match of a moment.
        case at(Moment)
    }

    /// Its name in other rules and in expectations.
    package var id: String?
    /// It fires at each match.
    package var when: Moment
    package var action: Action
    /// They must all hold when it would act.
    package var conditions: [Condition] = []
    /// The probability that a match counts, 0…1.
    package var chance: Double
    /// The end of a lasting action; nil for none.
    package var end: End?
    /// The line of the control socket that it comes from; nil for a rule of a file.
    package var line: String?

    package init(id: String? = nil, when: Moment, action: Action, chance: Double = 1, end: End? = nil) {
        (self.id, self.when, self.action, self.chance, self.end) = (id, when, action, chance, end)
    }
}

/// Something that must have happened, or must not, for a rule to act.
package struct Condition: Hashable, Sendable {
    package var event: Event
    /// How long ago it happened, at most; nil: at any time since the start.
    package var within: Duration?
    /// False: it must not have happened.
    package var isWanted: Bool

    package init(_ event: Event, within: Duration? = nil, isWanted: Bool) {
        (self.event, self.within, self.isWanted) = (event, within, isWanted)
    }
}

/// One or several points in time.
package enum Moment: Hashable, Sendable {
    case start
    case end
    case time(Duration)
    /// A time since the start, and its repetitions: `times` in all, or until the end.
    case repeated(first: Duration, every: Duration, times: Int?)
    case event(Event)
}

/// A pattern that matches events of the log.
package struct Event: Hashable, Sendable {
    /// The events of the language and of the event log.
    package typealias Kind = EventName

    /// The matches that count.
    package enum Occurrence: Hashable, Sendable {
        case each
        /// Only the one with this number, counted from 1.
        case nth(Int)
        /// Those whose number is a multiple of this.
        case every(Int)
    }

    /// A further condition.
    package enum Filter: Hashable, Sendable {
        /// A reason or error.
        case code(Code)
        case value(Matcher)
        case line(Matcher)
        /// A client's exit status.
        case status(Int)
        /// The type of the descriptor that is read or written.
        case descriptor(UUID)
    }

    package var kind: Kind
    /// The target; nil for any.
    package var of: EntityReference?
    /// Conditions that all must hold.
    package var filters: [Filter] = []
    /// The matches that count.
    package var occurrence = Occurrence.each
    package var delay = Duration.zero
    /// The characteristic value that includes the target, if the target is not a characteristic value itself.
    package var carrier: Carrier?

    package init(_ kind: Kind, of entity: EntityReference?, filters: [Filter] = []) {
        (self.kind, of, self.filters) = (kind, entity, filters)
    }

    /// A characteristic value that includes another value, as `heart_rate` includes `rr_ms`.
    package struct Carrier: Hashable, Sendable {
        package var value: EntityReference
        package var key: String

        package init(value: EntityReference, key: String) { (self.value, self.key) = (value, key) }
    }
}

/// An error or reason, as written in a file.
package enum Code: Hashable, Sendable {
    /// The octet itself.
    case number(UInt8)
    /// The specification's name, in snake_case.
    case name(String)

    package func means(_ status: HCIStatus) -> Bool {
        switch self {
        case .number(let number): number == status.rawValue
        case .name(let name): name == status.name
        }
    }
}

extension Moment {
    /// The event; nil for other moments.
    package var event: Event? {
        if case .event(let event) = self { event } else { nil }
    }

    /// The next occurrence, or the last one if there are no more; nil if it depends on events.
    package func clockTime(after now: Instant, origin: Instant) -> Instant? {
        switch self {
        case .end, .event: return nil
        case .start: return origin
        case .time(let time): return origin.advanced(by: time)
        case .repeated(let first, let every, let times):
            let (begin, step) = (origin.advanced(by: first), every.inNanoseconds)
            guard begin <= now, step > 0 else { return begin }
            let passed = min(begin.duration(to: now).inNanoseconds / step, Int64(times ?? .max) - 2)
            return begin.advanced(byNanoseconds: passed * step).advanced(byNanoseconds: step)
        }
    }
}
