import Scenarios
import Simulation

/// From a `since` to what closes it.
struct Opening<Progress: Sendable>: Sendable {
    /// When it opened.
    let opened: Instant
    /// The last instant that belongs to it; `.never` where an event or the limit closes it.
    var closes: Instant
    /// How often the event of `until` had come before.
    let untils: Int
    /// What has come so far.
    var progress: Progress
}

/// What came of an opening.
struct Decision: Sendable {
    /// What was seen that should not be, or not seen that should.
    enum Fault: Sendable {
        /// It came so often.
        case count(Int)
        /// The event with an index came, before the one that should be next.
        case order(Int, before: Int)
        /// It came so often from one instant to another.
        case window(Instant, Instant, Int)
        /// All of them came, but for those from this one on.
        case missing(Int)
    }

    let opened: Instant
    /// When it was sure.
    let at: Instant
    /// Nil when all was well.
    let fault: Fault?
}

/// What an expectation asks of each of its openings.
protocol Question: Sendable {
    /// What is known of an opening.
    associatedtype Progress: Sendable
    typealias Openings = ArraySlice<Opening<Progress>>

    /// At most so many openings at once.
    static var mostOpenings: Int { get }
    /// So long after it has closed, something may still belong to an opening.
    var patience: Duration { get }
    /// Of an opening that begins now.
    var beginning: Progress { get }

    /// Some of the events have come with a value that arose at `instant`; it may decide openings, and take them away.
    mutating func came(
        _ events: [Int], _ instant: Instant, at now: Instant, _ openings: inout Openings,
        into decisions: inout [Decision])
    /// It is `now`.
    func timePassed(at now: Instant, _ openings: inout Openings, into decisions: inout [Decision])
    /// An opening has closed; nil when that decides nothing.
    func close(_ opening: Opening<Progress>, at now: Instant) -> Decision?
}

/// How often an event comes: `seen`, `never`, `count` and `delay` are limits of that.
struct Tally: Question {
    /// How many matches there were before it.
    typealias Progress = Int

    static let mostOpenings = mostWaiting

    let limits: Expectation.Limits
    let occurrence: Event.Occurrence
    private var total = 0  // matches of the whole scenario

    init(_ event: Event, _ limits: Expectation.Limits) { (occurrence, self.limits) = (event.occurrence, limits) }

    var patience: Duration { .zero }

    var beginning: Int { total }

    mutating func came(
        _ events: [Int], _ instant: Instant, at now: Instant, _ openings: inout Openings,
        into decisions: inout [Decision]
    ) {
        total += 1
        // What opened first has seen most.
        while let first = openings.first {
            let count = count(first)
            let fails = limits.max.map { Double(count) > $0 } ?? false
            guard fails || limits.max == nil && limits.include(Double(count)) else { return }
            decisions.append(Decision(opened: first.opened, at: now, fault: fails ? .count(count) : nil))
            openings.removeFirst()
        }
    }

    func timePassed(at now: Instant, _ openings: inout Openings, into decisions: inout [Decision]) {}

    func close(_ opening: Opening<Int>, at now: Instant) -> Decision? {
        let count = count(opening)
        return Decision(opened: opening.opened, at: now, fault: limits.include(Double(count)) ? nil : .count(count))
    }

    private func count(_ opening: Opening<Int>) -> Int { occurrence.count(of: total - opening.progress) }
}

/// Events come one after the other: none before the one that stands before it, though each may come again.
struct Order: Question {
    struct Progress: Sendable {
        /// The event that should be next.
        var next = 0
        /// How often each has come.
        var counts: [Int]
    }

    static let mostOpenings = 1000

    let occurrences: [Event.Occurrence]

    var patience: Duration { .zero }
    var beginning: Progress { Progress(counts: occurrences.map { _ in 0 }) }

    func came(
        _ events: [Int], _ instant: Instant, at now: Instant, _ openings: inout Openings,
        into decisions: inout [Decision]
    ) {
        var undecided: Openings = []
        for var opening in openings {
            let fault = opening.progress.take(events, occurrences)
            if fault != nil || opening.progress.next == occurrences.count {
                decisions.append(Decision(opened: opening.opened, at: now, fault: fault))
            } else {
                undecided.append(opening)
            }
        }
        openings = undecided
    }

    func timePassed(at now: Instant, _ openings: inout Openings, into decisions: inout [Decision]) {}

    func close(_ opening: Opening<Progress>, at now: Instant) -> Decision? {
        Decision(opened: opening.opened, at: now, fault: .missing(opening.progress.next))
    }
}

extension Order.Progress {
    /// What is wrong with these events of one instant, if anything is.
    fileprivate mutating func take(_ events: [Int], _ occurrences: [Event.Occurrence]) -> Decision.Fault? {
        for event in events { counts[event] += 1 }
        let came = events.filter { occurrences[$0].includes(counts[$0]) }
        if came.contains(next) {
            next += 1
        } else if let first = came.min(), first > next {
            return .order(first, before: next)
        }
        return nil
    }
}
