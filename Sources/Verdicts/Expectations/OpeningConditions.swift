import Basics
import ScenarioModel

/// The time from a match of `since` to its close.
struct Opening<Progress: Sendable>: Sendable {
    let opened: Instant
    /// The last instant that belongs to it; `.never` where an event or the limit closes it.
    var closes: Instant
    /// Matches of the event of `until` before it opened.
    let untils: Int
    /// The values that it asks for: those that the opening event delivered.
    var asked = AskedValues()
    var progress: Progress
}

/// The values in place of the `$truth` of an expectation: a client that is asked for a value has not answered by showing
/// one that was delivered later.
struct AskedValues: Sendable {
    private struct Asked {
        let truth: Matcher.Truth
        /// Nil if any value answers that is delivered from now on.
        let value: Datum?
        /// The value before the opening.
        let previous: Datum?
    }

    private var values: [Asked] = []
    /// When the opening began, for truths that have to be fresh.
    private var opened = Instant.start

    init() {}

    /// The values that the event delivered which opens an expectation, and those that have to be fresh.
    init(_ truths: [Matcher.Truth], by observed: ObservedEvent?, at opened: Instant, _ known: Truths) {
        self.opened = opened
        values = truths.compactMap { truth in
            let delivered = observed.flatMap { known.delivered(truth, by: $0) }
            if let delivered { return Asked(truth: truth, value: delivered, previous: known.previous(truth)) }
            return truth.isFresh ? Asked(truth: truth, value: nil, previous: known.present(truth)) : nil
        }
    }

    subscript(truth: Matcher.Truth) -> Datum? { values.first { $0.truth == truth }?.value ?? nil }

    /// Whether a datum shows the value that is asked for; for another `$truth`, whether that holds.
    func isShown(_ truth: Matcher.Truth, by datum: Datum, _ known: Truths, at now: Instant) -> Bool {
        guard let asked = self[truth] else { return known.hold(truth, datum, at: now, opened: opened) }
        return known.isNear(datum, asked, truth)
    }

    /// The single right value; nil if none is known.
    func right(_ truth: Matcher.Truth, _ known: Truths) -> Datum? {
        self[truth] ?? known.present(truth, opened: opened)
    }

    /// Whether a datum was right before the opening.
    func wasShown(_ truth: Matcher.Truth, by datum: Datum, _ known: Truths) -> Bool {
        guard let previous = values.first(where: { $0.truth == truth })?.previous else { return false }
        return known.isNear(datum, previous, truth)
    }
}

struct Decision: Sendable {
    enum Fault: Sendable {
        /// The event came a number of times.
        case count(Int)
        /// An event, by its index, came before the one that should be next.
        case order(Int, before: Int)
        /// The event came a number of times between two instants.
        case window(Instant, Instant, Int)
        /// The events from this index on did not come.
        case missing(Int)
    }

    let opened: Instant
    let at: Instant
    let fault: Fault?
    /// The values that the opening asked for.
    var asked = AskedValues()

    var window: ClosedRange<Instant> { opened...max(opened, at) }
}

/// The condition that an expectation checks in each of its openings.
protocol OpeningCondition: Sendable {
    associatedtype Progress: Sendable
    typealias Openings = ArraySlice<Opening<Progress>>

    static var maximumOpenings: Int { get }
    /// How long after an opening has closed events may still belong to it.
    var patience: Duration { get }
    /// The state of an opening that begins now.
    var beginning: Progress { get }

    /// Takes events, by their indices, with a value that arose at `instant`; removes the openings that this decides.
    mutating func came(
        _ events: [Int], _ instant: Instant, at now: Instant, _ openings: inout Openings,
        into decisions: inout [Decision])
    /// Decides the openings whose time is over.
    func timePassed(at now: Instant, _ openings: inout Openings, into decisions: inout [Decision])
    /// When `timePassed` next decides something; `.never` if it does not.
    func nextDue(_ openings: Openings) -> Instant
    /// The decision on an opening that has closed; nil if there is none.
    func close(_ opening: Opening<Progress>, at now: Instant) -> Decision?
}

extension OpeningCondition {
    func timePassed(at now: Instant, _ openings: inout Openings, into decisions: inout [Decision]) {}
    func nextDue(_ openings: Openings) -> Instant { .never }
}

/// The number of matches of an event: `seen`, `never`, `count` and `delay` limit it.
struct Tally: OpeningCondition {
    /// The number of matches before the opening.
    typealias Progress = Int

    static let maximumOpenings = maximumPending

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
        // The first opening has the most matches.
        while let first = openings.first {
            let count = count(first)
            let fails = limits.max.map { Double(count) > $0 } ?? false
            guard fails || limits.max == nil && limits.include(Double(count)) else { return }
            decisions.append(Decision(opened: first.opened, at: now, fault: fails ? .count(count) : nil))
            openings.removeFirst()
        }
    }

    func close(_ opening: Opening<Int>, at now: Instant) -> Decision? {
        let count = count(opening)
        return Decision(opened: opening.opened, at: now, fault: limits.include(Double(count)) ? nil : .count(count))
    }

    private func count(_ opening: Opening<Int>) -> Int { occurrence.count(of: total - opening.progress) }
}

/// Events in an order: each may come again, but none before its predecessor.
struct Order: OpeningCondition {
    struct Progress: Sendable {
        /// The index of the next expected event.
        var next = 0
        var counts: [Int]
    }

    static let maximumOpenings = 1000

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

    func close(_ opening: Opening<Progress>, at now: Instant) -> Decision? {
        Decision(opened: opening.opened, at: now, fault: .missing(opening.progress.next))
    }
}

extension Order.Progress {
    /// Takes events of one instant; returns the fault, if there is one.
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
