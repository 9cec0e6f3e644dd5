public import Basics

/// The position of a station over time: fixed, or moving at constant speed from one position to another.
public struct Trajectory: Hashable, Sendable {
    private let start: Int
    private let end: Int
    private let from: Instant
    private let until: Instant

    /// A fixed position, in millimetres.
    public init(at millimetres: Int) {
        (start, end) = (millimetres, millimetres)
        (from, until) = (.start, .start)
    }

    /// Moves from `start` to `end`, in millimetres, beginning at `departure`.
    public init(from start: Int, to end: Int, leaving departure: Instant, taking duration: Duration) {
        (self.start, self.end) = (start, end)
        (from, until) = (departure, departure.advanced(by: duration))
    }

    /// Whether the position still changes.
    public func isMoving(at now: Instant) -> Bool { now < until && start != end }

    /// The position, in millimetres.
    public func millimetres(at now: Instant) -> Int {
        guard now < until else { return end }
        guard now > from else { return start }
        let done = Double(now.nanoseconds - from.nanoseconds) / Double(until.nanoseconds - from.nanoseconds)
        return start + Int((Double(end - start) * done).rounded())
    }
}
