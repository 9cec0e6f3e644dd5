import EventLog
import Scenarios
import Simulation

/// So much may be waited for at once, and no more: what a hostile client says must not fill the memory.
let mostWaiting = 65_536

/// Watches a moment come, again and again.
struct MomentWatch: Sendable {
    private let moment: Moment
    private var matches = 0
    private var next: Instant?  // of a clock
    private var pending: ArraySlice<Instant> = []  // of an event that counts later than it happens
    /// Whether it came too often at once, and was missed.
    private(set) var isOverrun = false

    init(_ moment: Moment) {
        self.moment = moment
        next = moment.clockTime(after: Instant(nanoseconds: -1), origin: .start)
    }

    /// When it comes next, as far as that is known.
    var nextDue: Instant? { next ?? pending.first }

    /// Whether it comes no more.
    var isExhausted: Bool {
        guard nextDue == nil else { return false }
        guard let event = moment.event else { return true }
        if case .nth(let nth) = event.occurrence { return matches >= nth }
        return false
    }

    /// It has come when it was due.
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

    /// Whether it comes with this happening, at once.
    mutating func hear(_ observed: ObservedEvent, at now: Instant, _ isTrue: TruthTest) -> Bool {
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
            guard pending.count < mostWaiting else {
                isOverrun = true
                continue
            }
            pending.append(due)
        }
        return comes
    }
}

/// An event that counts later than it happens, or at once.
struct EventWatch: Sendable {
    struct Match: Sendable {
        /// When it counts.
        let due: Instant
        /// When the value arose, so much later.
        let value: Instant
    }

    let event: Event
    private(set) var pending: ArraySlice<Match> = []
    private(set) var isOverrun = false

    init(_ event: Event) { self.event = event }

    mutating func takeFirst() -> Match? { pending.popFirst() }

    mutating func add(_ match: Match) {
        guard pending.count < mostWaiting else {
            isOverrun = true
            return
        }
        pending.append(match)
    }
}

extension Event.Occurrence {
    /// How many of so many matches count.
    func count(of matches: Int) -> Int {
        switch self {
        case .each: matches
        case .nth(let nth): matches >= nth ? 1 : 0
        case .every(let step): step > 0 ? matches / step : 0
        }
    }

    /// With which match it has come first.
    var first: Int {
        switch self {
        case .each: 1
        case .nth(let number), .every(let number): number
        }
    }
}
