public import Simulation

/// Where a station is: it stands, or goes evenly from one place to another and stays there.
public struct Way: Hashable, Sendable {
    private let start: Int
    private let end: Int
    private let from: Instant
    private let until: Instant

    /// Stands at so many millimetres.
    public init(at millimetres: Int) {
        (start, end) = (millimetres, millimetres)
        (from, until) = (.start, .start)
    }

    /// Leaves one place at an instant, in millimetres, and is at the other so much later.
    public init(from start: Int, to end: Int, leaving: Instant, taking duration: Duration) {
        (self.start, self.end) = (start, end)
        (from, until) = (leaving, leaving.advanced(by: duration))
    }

    /// Whether it is on its way.
    public func isMoving(at now: Instant) -> Bool { now < until && start != end }

    /// Where it is, in millimetres.
    public func millimetres(at now: Instant) -> Int {
        guard now < until else { return end }
        guard now > from else { return start }
        let done = Double(now.nanoseconds - from.nanoseconds) / Double(until.nanoseconds - from.nanoseconds)
        return start + Int((Double(end - start) * done).rounded())
    }
}
