package import Basics

/// RR-Intervals that are not sent yet, in 1/1024 s as in Heart Rate Measurement.
///
/// Beats are rounded to ticks of a 1024 Hz clock that runs since the start, and an interval is the difference of two
/// ticks, so rounding errors do not add up. A full buffer drops the oldest interval (Heart Rate Service 1.0, section
/// 3.1.1.4).
package struct RRIntervals: Sendable {
    /// Oldest first.
    private var waiting: [UInt16] = []
    private var last: Int64?
    private let capacity: Int

    /// An empty buffer for `capacity` intervals, at least one.
    package init(capacity: Int = 128) { self.capacity = max(1, capacity) }

    package var count: Int { waiting.count }

    /// Adds the interval between the previous beat and this one.
    ///
    /// The first beat ends no interval. Intervals of 0 or more than 65535 ticks cannot be encoded and are omitted.
    package mutating func add(_ beat: Instant) {
        let second: Int64 = 1_000_000_000
        let (seconds, rest) = beat.nanoseconds.quotientAndRemainder(dividingBy: second)
        let tick = seconds * 1024 + (rest * 1024 + second / 2) / second
        defer { last = tick }
        guard let last, let interval = UInt16(exactly: tick - last), interval > 0 else { return }
        if waiting.count >= capacity { waiting.removeFirst(waiting.count - capacity + 1) }
        waiting.append(interval)
    }

    /// Notes a gap: the next beat ends no interval.
    package mutating func interrupt() { last = nil }

    /// Moves the oldest intervals, at most `maximum`, into `intervals`, replacing its contents; does not allocate if
    /// the capacity suffices.
    package mutating func take(_ maximum: Int, into intervals: inout [UInt16]) {
        intervals.removeAll(keepingCapacity: true)
        let count = min(max(0, maximum), waiting.count)
        intervals.append(contentsOf: waiting[..<count])
        waiting.removeFirst(count)
    }

    /// Removes all intervals; the next beat ends no interval.
    package mutating func removeAll() {
        waiting.removeAll(keepingCapacity: true)
        last = nil
    }
}
