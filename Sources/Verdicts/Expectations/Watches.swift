import Basics
import ScenarioModel

/// The limit on pending matches, so that the output of a hostile client cannot fill the memory.
let maximumPending = 65_536

/// Detects the matches of a moment.
struct MomentWatch: Sendable {
    private let moment: Moment
    private var matches = 0
    private var next: Instant?  // at a known time
    private var pending: ArraySlice<Instant> = []  // of an event with a delay
    /// Whether matches were discarded because there were too many.
    private(set) var isOverrun = false

    init(_ moment: Moment) {
        self.moment = moment
        next = moment.clockTime(after: Instant(nanoseconds: -1), origin: .start)
    }

    /// The next match, if its time is known.
    var nextDue: Instant? { next ?? pending.first }

    /// Whether there are no more matches.
    var isExhausted: Bool {
        guard nextDue == nil else { return false }
        guard let event = moment.event else { return true }
        if case .nth(let nth) = event.occurrence { return matches >= nth }
        return false
    }

    mutating func takeDue() {
        guard let last = next else {
            pending = pending.dropFirst()
            return
        }
        matches += 1
        next = nil
        if case .repeated(_, let every, let times) = moment, matches < times ?? .max, every > .zero {
            next = last.advanced(by: every)
        }
    }

    /// Takes an event; returns whether it matches now, without a delay.
    mutating func observe(_ observed: ObservedEvent, at now: Instant, _ isTrue: TruthTest) -> Bool {
        guard let event = moment.event else { return false }
        var comes = false
        for _ in 0..<event.matches(in: observed, isTrue: isTrue) {
            matches += 1
            guard event.occurrence.includes(matches) else { continue }
            guard event.delay > .zero else {
                comes = true
                continue
            }
            let due = now.advanced(by: event.delay)
            guard pending.last != due else { continue }
            guard pending.count < maximumPending else {
                isOverrun = true
                continue
            }
            pending.append(due)
        }
        return comes
    }
}

/// Holds the delayed matches of an event.
struct EventWatch: Sendable {
    struct Match: Sendable {
        /// When the match counts.
        let due: Instant
        /// When the value arose, plus the delay.
        let value: Instant
    }

    let event: Event
    private(set) var pending: ArraySlice<Match> = []
    private(set) var isOverrun = false

    init(_ event: Event) { self.event = event }

    mutating func takeFirst() -> Match? { pending.popFirst() }

    mutating func add(_ match: Match) {
        guard pending.count < maximumPending else {
            isOverrun = true
            return
        }
        pending.append(match)
    }
}

extension Event.Occurrence {
    /// The number of matches that count, out of a total.
    func count(of matches: Int) -> Int {
        switch self {
        case .each: matches
        case .nth(let nth): matches >= nth ? 1 : 0
        case .every(let step): step > 0 ? matches / step : 0
        }
    }

    /// The number of the first match that counts.
    var first: Int {
        switch self {
        case .each: 1
        case .nth(let number), .every(let number): number
        }
    }
}
