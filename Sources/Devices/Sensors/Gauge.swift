public import Simulation

/// A value over the time of a simulation that a script can take over for a while.
///
/// A curve that was set begins at the instant at which it was set, or at an earlier one, if it comes back.  What was
/// there before goes on unseen, and comes back as if it had never been away.
public struct Gauge: Sendable {
    private var base: Signal
    private let begun: Instant
    private var changes: [Change] = []

    private struct Change {
        let at: Instant
        let begun: Instant
        var signal: Signal?
    }

    /// Shows `base`, which begins with the simulation, or has begun before.
    public init(_ base: Signal, begun: Instant = .start) { (self.base, self.begun) = (base, begun) }

    /// Shows `signal` from `instant` on, or what it began with when nil.  Instants never go back from call to call.
    ///
    /// The signal's own time counts from `begun`, or from `instant` when that is nil.
    public mutating func set(_ signal: Signal?, at instant: Instant, begun: Instant? = nil) {
        changes.append(Change(at: instant, begun: begun ?? instant, signal: signal))
    }

    /// Nobody asks for a value before `instant` any more: what ended until then is dropped.
    public mutating func forget(before instant: Instant) {
        guard let last = changes.lastIndex(where: { $0.at <= instant }) else { return }
        changes.removeFirst(changes[last].signal == nil ? last + 1 : last)
    }

    /// How many takeovers and returns it remembers.
    var remembered: Int { changes.count }

    /// The value at an instant, earlier than the last change or not; nil when its curve has stopped.
    public mutating func value(at instant: Instant) -> Double? {
        var index = changes.count - 1
        while index >= 0, instant < changes[index].at { index -= 1 }
        guard index >= 0, changes[index].signal != nil else {
            return base.value(atNanoseconds: Self.nanoseconds(from: begun, to: instant))
        }
        let elapsed = Self.nanoseconds(from: changes[index].begun, to: instant)
        return changes[index].signal?.value(atNanoseconds: elapsed)
    }

    /// The most that can be counted, when a clock that has stopped is asked of what began before the simulation.
    private static func nanoseconds(from begun: Instant, to instant: Instant) -> Int64 {
        let (elapsed, overflow) = instant.nanoseconds.subtractingReportingOverflow(begun.nanoseconds)
        return overflow ? .max : elapsed
    }

    /// When the value is next taken over or given back; `.never` when it is not known yet.
    func nextChange(after instant: Instant) -> Instant {
        var next = Instant.never
        var index = changes.count - 1
        while index >= 0, changes[index].at > instant {
            next = changes[index].at
            index -= 1
        }
        return next
    }
}
