import Scenarios
import Simulation

/// The times at which the judging machine stalled, and so may itself have delayed events.
struct Stalls: Sendable {
    private struct Stall: Sendable {
        let begin: Instant
        var end: Instant
        var length: Duration
    }

    /// Shorter ones do not count: every machine has them.
    static let shortest = Duration.milliseconds(50)
    private static let most = 10_000

    private var known: [Stall] = []  // in order, without overlap

    mutating func add(from begin: Instant, to end: Instant) {
        let length = begin.duration(to: end)
        guard length >= Self.shortest else { return }
        guard known.count < Self.most else {
            known[Self.most - 1].end = end
            known[Self.most - 1].length = max(known[Self.most - 1].length, length)
            return
        }
        known.append(Stall(begin: begin, end: end, length: length))
    }

    /// The longest one in an opening of an expectation, if that is longer than a tenth of the expectation's time limit.
    func excuse(_ expectation: Expectation, from opened: Instant, to closed: Instant) -> Duration? {
        guard let bound = expectation.shortestBound else { return nil }
        let delay = expectation.opens.event?.delay ?? .zero
        let opened = Instant(nanoseconds: opened.nanoseconds - delay.inNanoseconds)
        let longest = known.reversed().prefix { $0.end >= opened }.filter { $0.begin <= closed }.map(\.length).max()
        return longest.flatMap { $0 > bound / 10 ? $0 : nil }
    }
}

extension Expectation {
    /// The shortest of its time limits; nil if it has none.
    var shortestBound: Duration? {
        var bounds = [bound, opens.event.map(\.delay)].compactMap { $0 }
        if case .rate(_, let length, _) = question { bounds.append(length) }
        return bounds.filter { $0 > .zero }.min()
    }
}
