package import Basics

/// Steps since the start and since the start of the day.
///
/// The count is a curve, rounded down. `Curve.days` follows the calendar: a simulation that starts in the afternoon has
/// the afternoon's part of the first day. All times are sensor times: `WallClock.sensorTime(at:)`.
package struct StepCounter: Sendable {
    private var count: Gauge
    private let clock: WallClock
    private let dailyReset: Duration
    /// The count at the start of the day requested last.
    private var morning: (began: Instant, count: UInt32)?

    /// A counter with a curve; a day starts `dailyReset` after midnight. Only the start of `clock` is used.
    package init(_ curve: Curve, seed: UInt64 = 0, clock: WallClock = WallClock(), dailyReset: Duration = .zero) {
        (self.clock, self.dailyReset) = (clock, dailyReset)
        if case .days = curve {
            let before = clock.startOfDay.inNanoseconds
            var calendar = Signal(curve)
            let counted = calendar.value(atNanoseconds: before) ?? 0
            count = Gauge(
                Signal(.sum([curve, .constant(-counted)])), begun: Instant.start.advanced(byNanoseconds: -before))
        } else {
            count = Gauge(Signal(curve, seed: seed))
        }
    }

    /// Overrides the curve, or restores the original one if `signal` is nil; see `Gauge.set`.
    package mutating func set(_ signal: Signal?, at time: Instant, begun: Instant? = nil) {
        _ = countOfMorning(before: time)
        if morning?.began == time { morning = nil }  // it changes
        count.set(signal, at: time, begun: begun)
        count.forget(before: time)
    }

    /// Number of remembered changes of the curve.
    var remembered: Int { count.remembered }

    /// The value of the curve, neither rounded nor clamped; nil when it has stopped.
    package mutating func unclampedTotal(at time: Instant) -> Double? { count.value(at: time) }

    /// Steps since the start, at most 4294967295; nil when the curve has stopped.
    package mutating func total(at time: Instant) -> UInt32? {
        unclampedTotal(at: time).map { $0 >= 4_294_967_295 ? .max : $0 > 0 ? UInt32($0) : 0 }
    }

    /// Steps since the start of the day or, on the first day, of the simulation; nil when the curve has stopped.
    ///
    /// Times must not decrease from call to call.
    package mutating func today(at time: Instant) -> UInt32? {
        guard let now = total(at: time) else { return nil }
        let before = countOfMorning(before: time)
        return now > before ? now - before : 0
    }

    private mutating func countOfMorning(before time: Instant) -> UInt32 {
        let began = clock.dayBegan(before: time, at: dailyReset)
        if let morning, morning.began == began { return morning.count }
        let count = total(at: began) ?? 0
        morning = (began, count)
        return count
    }
}
