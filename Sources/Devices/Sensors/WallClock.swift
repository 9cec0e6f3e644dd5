public import Simulation

/// What time the sensors believe it is: that of the simulation, and what a script skips.
///
/// A *time of the sensors* is an `Instant` of a simulation without skips: their curves and days are asked for by it.
/// The last is `.never`, 2⁶³ ns or 292 years after the start: there the clock stops.
public struct WallClock: Hashable, Sendable {
    /// In seconds since 1970-01-01T00:00:00, when the simulation starts.
    public let begins: Int64
    private var skipped: Int64 = 0

    /// 2000-01-01T00:00:00 unless said otherwise; of years before -1,000,000 and after 1,000,000, these.
    public init(begins: Int64 = 946_684_800) {
        self.begins = min(max(begins, -31_557_600_000_000), 31_557_600_000_000)
    }

    /// Goes on by so much at once, from now on; never back.
    public mutating func skip(by duration: Duration) {
        let (sum, overflow) = skipped.addingReportingOverflow(max(0, duration.inNanoseconds))
        skipped = overflow ? .max : sum
    }

    /// What the sensors call this instant, when nothing more has been skipped since.
    public func sensorTime(at instant: Instant) -> Instant { instant.advanced(byNanoseconds: skipped) }

    /// Whether it has come as far as it can count.
    public func hasStopped(at instant: Instant) -> Bool { sensorTime(at: instant) == .never }

    /// The seconds since 1970-01-01T00:00:00 at a time of the sensors.
    public func seconds(at sensorTime: Instant) -> Int64 {
        begins + sensorTime.nanoseconds / 1_000_000_000 - (sensorTime.nanoseconds % 1_000_000_000 < 0 ? 1 : 0)
    }

    /// How far the day has come when the simulation starts.
    public var startOfDay: Duration { .seconds((begins % 86400 + 86400) % 86400) }

    /// The latest time of the sensors, not after this one, at which a day began that begins so long after midnight; the
    /// start when that was before.
    public func dayBegan(before sensorTime: Instant, at timeOfDay: Duration = .zero) -> Instant {
        let day: Int64 = 86400 * 1_000_000_000
        let ahead = ((startOfDay - timeOfDay).inNanoseconds % day + day) % day  // of the start, in its day
        let (sum, overflow) = max(0, sensorTime.nanoseconds).addingReportingOverflow(ahead)
        guard !overflow else { return .start }
        return Instant(nanoseconds: max(0, sum - sum % day - ahead))
    }
}
