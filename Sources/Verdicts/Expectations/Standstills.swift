import Scenarios
import Simulation

/// When the machine that judges stood still, so that what came too late may have been its own fault.
struct Standstills: Sendable {
    private struct Standstill: Sendable {
        let begin: Instant
        var end: Instant
        var length: Duration
    }

    /// Less is what any machine does, and excuses nothing.
    static let shortest = Duration.milliseconds(50)
    private static let most = 10_000

    private var known: [Standstill] = []  // in their order; they do not overlap

    /// It stood still from one instant to another, as long as that or longer by its own clock.
    mutating func add(from begin: Instant, to end: Instant) {
        let length = begin.duration(to: end)
        guard length >= Self.shortest else { return }
        guard known.count < Self.most else {
            known[Self.most - 1].end = end
            known[Self.most - 1].length = max(known[Self.most - 1].length, length)
            return
        }
        known.append(Standstill(begin: begin, end: end, length: length))
    }

    /// The longest that fell into an opening of an expectation, if that is more than a tenth of what it gives somebody.
    func excuse(_ expectation: Expectation, from opened: Instant, to closed: Instant) -> Duration? {
        guard let bound = expectation.shortestBound else { return nil }
        let delay = expectation.opens.event?.delay ?? .zero
        let opened = Instant(nanoseconds: opened.nanoseconds - delay.inNanoseconds)
        let longest = known.reversed().prefix { $0.end >= opened }.filter { $0.begin <= closed }.map(\.length).max()
        return longest.flatMap { $0 > bound / 10 ? $0 : nil }
    }
}

extension Expectation {
    /// The shortest time that it gives anybody; nil when it gives no bound at all.
    var shortestBound: Duration? {
        var bounds = [bound, opens.event.map(\.delay)].compactMap { $0 }
        if case .rate(_, let length, _) = question { bounds.append(length) }
        return bounds.filter { $0 > .zero }.min()
    }
}
