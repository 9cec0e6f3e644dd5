package import Basics

/// The time of a trace's packets.
///
/// Their stamps can be any numbers: clocks are set while packets are recorded, and a phone that has just started has the year
/// 1970. Where the clock was set, no time passes, so that all packets are used, and the times never go back.
package struct TraceClock: Sendable {
    /// More time between two packets is a clock that was set.
    package static let longestGap = Duration.seconds(7 * 86_400)
    /// Packets that come from several threads can be this much out of order.
    private static let disorder = Duration.seconds(1)
    /// No more time passes in a trace: tables of scenarios have times of up to 10⁹ s.
    private static let longest = Duration.seconds(999_000_000)

    /// How often the clock was set.
    package private(set) var changes = 0
    private var last: Int64?  // the latest stamp since the clock was set, in microseconds
    private var passed: Int64 = 0  // microseconds

    /// The clock of a trace without packets.
    package init() {}

    /// The instant of the next packet, whose stamp is in microseconds; the first one's is the start.
    package mutating func instant(at stamp: Int64) -> Instant {
        let (gap, isTooFar) = stamp.subtractingReportingOverflow(last ?? stamp)
        if isTooFar || gap < -Self.disorder.inMicroseconds || gap > Self.longestGap.inMicroseconds
            || gap > Self.longest.inMicroseconds - passed
        {
            changes += 1
            last = stamp
        } else if gap >= 0 {
            passed += gap
            last = stamp
        }
        return Instant.start.advanced(byNanoseconds: passed * 1000)
    }
}

extension Duration {
    fileprivate var inMicroseconds: Int64 { inNanoseconds / 1000 }
}
