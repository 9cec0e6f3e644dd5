import Basics
import ScenarioModel

/// The number of matches in each of the consecutive windows from the opening; a window does not include its end.
///
/// Windows that are incomplete when the opening closes do not count.
struct Rate: OpeningCondition {
    struct Progress: Sendable {
        /// The number of windows that have been judged.
        var judged: Int64 = 0
        /// The matches in later windows, by the windows' numbers; without empty windows.
        var counts: ArraySlice<(window: Int64, count: Int)> = []
    }

    static let maximumOpenings = 1000

    let limits: Expectation.Limits
    /// The length of a window, in nanoseconds.
    private let length: Int64
    let patience: Duration

    /// `patience` is the greatest age of the first value of a notification.
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

    func nextDue(_ openings: Openings) -> Instant {
        let ends = openings.map { opening in
            opening.opened.advanced(byNanoseconds: opening.progress.judged * length).advanced(byNanoseconds: length)
        }
        return ends.min()?.advanced(by: patience) ?? .never
    }

    func close(_ opening: Opening<Progress>, at now: Instant) -> Decision? {
        var opening = opening
        return judge(&opening, at: now)
    }

    /// Judges the windows that are complete; nil if there are none.
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

    /// The number of the window with an instant; negative before the opening.
    private func window(at instant: Instant, of opening: Opening<Progress>) -> Int64 {
        let passed = opening.opened.duration(to: instant).inNanoseconds
        return passed < 0 ? -1 : passed / length
    }
}

extension Rate.Progress {
    /// Counts a match in a window, unless that has been judged.
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

    /// Judges the windows before `end`; returns the first outside of the limits.
    fileprivate mutating func firstWindow(
        before end: Int64, outside limits: Expectation.Limits
    ) -> (window: Int64, count: Int)? {
        while judged < end {
            guard let first = counts.first, first.window < end else {
                guard limits.include(0) else { return (judged, 0) }
                judged = end
                return nil
            }
            if first.window > judged, !limits.include(0) { return (judged, 0) }
            if !limits.include(Double(first.count)) { return first }
            judged = first.window + 1
            counts.removeFirst()
        }
        return nil
    }
}
