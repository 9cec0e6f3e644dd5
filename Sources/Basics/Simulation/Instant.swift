/// A point on the one time line of a simulation: the time passed since it started.
public struct Instant: InstantProtocol, CustomStringConvertible {
    /// Since the start; never negative on a loop.  2⁶³ ns are 292 years.
    public let nanoseconds: Int64

    /// That long after the start.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// 0 s.
    public static let start = Instant(nanoseconds: 0)

    /// Later than anything that will happen.
    public static let never = Instant(nanoseconds: .max)

    /// The time passed since the start.
    public var sinceStart: Duration { .nanoseconds(nanoseconds) }

    /// Later by `duration`, or earlier when it is negative, in whole nanoseconds; `.never` when it cannot be counted.
    public func advanced(by duration: Duration) -> Instant { advanced(byNanoseconds: duration.inNanoseconds) }

    /// Later by so much, or earlier when it is negative; `.never` when it cannot be counted.
    public func advanced(byNanoseconds count: Int64) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
        return Instant(nanoseconds: overflow ? (count < 0 ? .min : .max) : sum)
    }

    /// How long it is from here to `other`; negative when that is earlier.
    public func duration(to other: Instant) -> Duration { .nanoseconds(other.nanoseconds - nanoseconds) }

    /// Whether `left` is earlier.
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// In seconds with six decimals, as the event log has it: `0.500000`.
    public var description: String {
        let microseconds = nanoseconds / 1000
        let decimals = String(1_000_000 + abs(microseconds % 1_000_000)).dropFirst()
        return "\(microseconds < 0 ? "-" : "")\(abs(microseconds / 1_000_000)).\(decimals)"
    }
}

extension Duration {
    /// Whole nanoseconds; the nearest that 64 bits hold.
    public var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carry ? (seconds < 0 ? .min : .max) : sum
    }
}
