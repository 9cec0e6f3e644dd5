public import Simulation

/// The times from beat to beat that have not been sent yet, in 1/1024 s, as a heart rate measurement has them.
///
/// Each beat is rounded to a tick of a clock of 1024 Hz that runs since the start, and an interval is the difference of two
/// ticks: rounding errors do not add up.  A full buffer drops the oldest (Heart Rate Service 1.0, section 3.1.1.4).
public struct RRIntervals: Sendable {
    /// The oldest first.
    private var waiting: [UInt16] = []
    private var last: Int64?
    private let capacity: Int

    /// Without a beat; `capacity` intervals may wait, at least one.
    public init(capacity: Int = 128) { self.capacity = max(1, capacity) }

    /// How many wait.
    public var count: Int { waiting.count }

    /// Adds the interval from the beat before to this one.
    ///
    /// The first beat ends no interval, and one of 0 ticks or of more than 65535 is left out: it cannot be said.
    public mutating func add(_ beat: Instant) {
        let second: Int64 = 1_000_000_000
        let (seconds, rest) = beat.nanoseconds.quotientAndRemainder(dividingBy: second)
        let tick = seconds * 1024 + (rest * 1024 + second / 2) / second
        defer { last = tick }
        guard let last, let interval = UInt16(exactly: tick - last), interval > 0 else { return }
        if waiting.count >= capacity { waiting.removeFirst(waiting.count - capacity + 1) }
        waiting.append(interval)
    }

    /// The next beat ends no interval: there were others before it.
    public mutating func interrupt() { last = nil }

    /// Moves the oldest ones, `most` at most, into `intervals` in place of what was there; no allocation
    /// once that has the capacity.
    public mutating func take(_ most: Int, into intervals: inout [UInt16]) {
        intervals.removeAll(keepingCapacity: true)
        let count = min(max(0, most), waiting.count)
        intervals.append(contentsOf: waiting[..<count])
        waiting.removeFirst(count)
    }

    /// Forgets what waits, and the last beat: the next one ends no interval.
    public mutating func removeAll() {
        waiting.removeAll(keepingCapacity: true)
        last = nil
    }
}
