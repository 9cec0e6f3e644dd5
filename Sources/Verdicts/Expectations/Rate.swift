import Scenarios
import Simulation

/// How often an event comes in each of the windows that follow one another from the opening; a window ends before the
/// next begins.
///
/// Only windows that are whole when their opening closes are looked at.
struct Rate: Question {
    struct Progress: Sendable {
        /// How many windows have been judged.
        var judged: Int64 = 0
        /// The later windows in which something came, and how often; by their numbers.
        var counts: ArraySlice<(window: Int64, count: Int)> = []
    }

    static let mostOpenings = 1000

    let limits: Expectation.Limits
    /// The length of a window, in nanoseconds.
    private let length: Int64
    let patience: Duration

    /// `patience` is how far a notification reaches back.
    init(per length: Duration, _ limits: Expectation.Limits, patience: Duration) {
        (self.limits, self.length, self.patience) = (limits, max(1, length.inNanoseconds), patience)
    }

    var beginning: Progress { Progress() }

    func came(
        _ events: [Int], _ instant: Instant, at now: Instant, _ openings: inout Openings,
        into decisions: inout [Decision]
    ) {
        for index in openings.indices where openings[index].opened <= instant {
            openings[index].progress.add(window: window(at: instant, of: openings[index]))
        }
    }

    func timePassed(at now: Instant, _ openings: inout Openings, into decisions: inout [Decision]) {
        for index in openings.indices.reversed() {
            guard let decision = judge(&openings[index], at: now) else { continue }
            decisions.append(decision)
            if decision.fault != nil { openings.remove(at: index) }
        }
    }

    func close(_ opening: Opening<Progress>, at now: Instant) -> Decision? {
        var opening = opening
        return judge(&opening, at: now)
    }

    /// Judges the windows that are complete by now; nil when there is none.
    private func judge(_ opening: inout Opening<Progress>, at now: Instant) -> Decision? {
        let end = window(at: min(opening.closes, now.advanced(by: .zero - patience)), of: opening)
        guard opening.progress.judged < end else { return nil }
        let fault = opening.progress.firstWindow(before: end, outside: limits)
        guard let fault else { return Decision(opened: opening.opened, at: now, fault: nil) }
        let begin = opening.opened.advanced(byNanoseconds: fault.window * length)
        let close = begin.advanced(byNanoseconds: length)
        return Decision(
            opened: opening.opened, at: close.advanced(by: patience), fault: .window(begin, close, fault.count))
    }

    /// The number of the window that an instant belongs to; negative before the opening.
    private func window(at instant: Instant, of opening: Opening<Progress>) -> Int64 {
        let passed = opening.opened.duration(to: instant).inNanoseconds
        return passed < 0 ? -1 : passed / length
    }
}

extension Rate.Progress {
    /// Counts what came in a window, unless that has been judged.
    fileprivate mutating func add(window: Int64) {
        guard window >= judged else { return }
        var place = counts.endIndex
        while place > counts.startIndex, counts[place - 1].window > window { place -= 1 }
        if place > counts.startIndex, counts[place - 1].window == window {
            counts[place - 1].count += 1
        } else {
            counts.insert((window, 1), at: place)
        }
    }

    /// Judges the windows up to a number: the first in which it came too seldom or too often.
    fileprivate mutating func firstWindow(
        before end: Int64, outside limits: Expectation.Limits
    ) -> (window: Int64, count: Int)? {
        while judged < end {
            guard let first = counts.first, first.window < end else {
                return limits.include(0) ? finish(end) : (judged, 0)
            }
            if first.window > judged, !limits.include(0) { return (judged, 0) }
            if !limits.include(Double(first.count)) { return first }
            judged = first.window + 1
            counts.removeFirst()
        }
        return nil
    }

    private mutating func finish(_ end: Int64) -> (window: Int64, count: Int)? {
        judged = end
        return nil
    }
}
