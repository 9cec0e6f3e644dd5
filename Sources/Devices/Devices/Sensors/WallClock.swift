package import Basics

/// The wall clock of a device's sensors: the time of the simulation plus the time that a script skipped.
///
/// A *sensor time* is an `Instant` of a simulation without skips; sensors' curves and days use it. The clock stops at
/// the last one, `.never`, 2⁶³ ns or 292 years after the start.
package struct WallClock: Hashable, Sendable {
    /// Start of the simulation in seconds since 1970-01-01T00:00:00.
    package let begins: Int64
    private var skipped: Int64 = 0

    /// A clock that starts at 2000-01-01T00:00:00 by default; years are clamped to -1,000,000…1,000,000.
    package init(begins: Int64 = 946_684_800) {
        self.begins = min(max(begins, -31_557_600_000_000), 31_557_600_000_000)
    }

    /// Advances the clock by a positive duration.
    package mutating func skip(by duration: Duration) {
        let (sum, overflow) = skipped.addingReportingOverflow(max(0, duration.inNanoseconds))
        skipped = overflow ? .max : sum
    }

    /// The sensor time at an instant, provided that nothing is skipped before it.
    package func sensorTime(at instant: Instant) -> Instant { instant.advanced(byNanoseconds: skipped) }

    package func hasStopped(at instant: Instant) -> Bool { sensorTime(at: instant) == .never }

    /// Seconds since 1970-01-01T00:00:00 at a sensor time.
    package func seconds(at sensorTime: Instant) -> Int64 {
        begins + sensorTime.nanoseconds / 1_000_000_000 - (sensorTime.nanoseconds % 1_000_000_000 < 0 ? 1 : 0)
    }

    /// Time of day at the start of the simulation.
    package var startOfDay: Duration { .seconds((begins % 86400 + 86400) % 86400) }

    /// The sensor time at which the current day started, if days start at `timeOfDay` after midnight; not before the
    /// start of the simulation.
    package func dayBegan(before sensorTime: Instant, at timeOfDay: Duration = .zero) -> Instant {
        let day: Int64 = 86400 * 1_000_000_000
        let ahead = ((startOfDay - timeOfDay).inNanoseconds % day + day) % day  // time of day at the start
        let (sum, overflow) = max(0, sensorTime.nanoseconds).addingReportingOverflow(ahead)
        guard !overflow else { return .start }
        return Instant(nanoseconds: max(0, sum - sum % day - ahead))
    }
}
