public import Simulation

/// Steps, counted since the start and since the day began.
///
/// The count is a curve, rounded down.  `Curve.days` goes by the calendar: a simulation that begins in the afternoon has
/// the afternoon's part of the first day.  All times are those of the sensors: `WallClock.sensorTime(at:)`.
public struct StepCounter: Sendable {
    private var count: Gauge
    private let clock: WallClock
    private let dailyReset: Duration
    /// What was counted when the day began that was asked for last.
    private var morning: (began: Instant, count: UInt32)?

    /// Counts by a curve; a day begins `dailyReset` after midnight.  Of `clock` only its start counts.
    public init(_ curve: Curve, seed: UInt64 = 0, clock: WallClock = WallClock(), dailyReset: Duration = .zero) {
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

    /// Counts by `signal` from now on, or by what it was made with when nil; as `Gauge.set`.
    public mutating func set(_ signal: Signal?, at time: Instant, begun: Instant? = nil) {
        _ = countOfMorning(before: time)
        if morning?.began == time { morning = nil }  // which will be another
        count.set(signal, at: time, begun: begun)
        count.forget(before: time)
    }

    /// How many changes of its curve it remembers.
    var remembered: Int { count.remembered }

    /// What the curve says, neither rounded nor in any range; nil when it has stopped.
    public mutating func wanted(at time: Instant) -> Double? { count.value(at: time) }

    /// All steps since the start, 4294967295 for all that is more; nil when the curve has stopped.
    public mutating func total(at time: Instant) -> UInt32? {
        wanted(at: time).map { $0 >= 4_294_967_295 ? .max : $0 > 0 ? UInt32($0) : 0 }
    }

    /// The steps since the day began, or since the start on the first day; nil when the curve has stopped.
    ///
    /// Times never go back from call to call.
    public mutating func today(at time: Instant) -> UInt32? {
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
