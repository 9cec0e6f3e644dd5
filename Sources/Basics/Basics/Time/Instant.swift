/// A point in time of a simulation, counted from its start.
public struct Instant: InstantProtocol, CustomStringConvertible {
    /// Nanoseconds since the start; never negative on a loop. The range is 292 years.
    public let nanoseconds: Int64

    /// The instant `nanoseconds` after the start.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The start, 0 s.
    public static let start = Instant(nanoseconds: 0)

    /// Later than every event.
    public static let never = Instant(nanoseconds: .max)

    /// The time passed since the start.
    public var sinceStart: Duration { .nanoseconds(nanoseconds) }

    /// This instant plus `duration`, which may be negative, in whole nanoseconds; saturates at `.never`.
    public func advanced(by duration: Duration) -> Instant { advanced(byNanoseconds: duration.inNanoseconds) }

    /// This instant plus `count` nanoseconds, which may be negative; saturates at `.never`.
    public func advanced(byNanoseconds count: Int64) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
        return Instant(nanoseconds: overflow ? (count < 0 ? .min : .max) : sum)
    }

    /// The time from this instant to `other`; negative if that is earlier.
    public func duration(to other: Instant) -> Duration { .nanoseconds(other.nanoseconds - nanoseconds) }

    /// This instant without a fraction of a microsecond, as the event log has it.
    package var inLog: Instant { Instant(nanoseconds: nanoseconds / 1000 * 1000) }

    /// Whether `left` is earlier.
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Seconds with six decimals, as in the event log: `0.500000`.
    public var description: String {
        let microseconds = nanoseconds / 1000
        let decimals = String(1_000_000 + abs(microseconds % 1_000_000)).dropFirst()
        return "\(microseconds < 0 ? "-" : "")\(abs(microseconds / 1_000_000)).\(decimals)"
    }
}

extension Duration {
    /// Whole nanoseconds, clamped to 64 bits.
    public var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carry ? (seconds < 0 ? .min : .max) : sum
    }

    /// Seconds, rounded to one decimal: `2.1`.
    package var inTenths: String {
        let tenths = inNanoseconds / 100_000_000 + (inNanoseconds % 100_000_000 >= 50_000_000 ? 1 : 0)
        return "\(tenths / 10).\(tenths % 10)"
    }
}
