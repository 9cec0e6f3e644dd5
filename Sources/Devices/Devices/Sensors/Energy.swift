import Basics

/// The energy expended at a heart rate: 631 J per minute for each beat per minute above 56.
///
/// This is the regression of Keytel et al. (Journal of Sports Sciences 23, 2005) for a man of 70 kg and 30 years, in
/// integers. Within a second the rate is that at its start.
struct Energy: Sendable {
    private static let kilojoule: Int64 = 1000 * 60_000_000_000  // J/min · ns
    private static let maximum = 65535 * kilojoule
    private var rate: Gauge  // not shared: a random walk is slow if queried for two alternating times
    private var position = Instant.start
    private var work: Int64 = 0  // until `position`, in J/min · ns; at most `maximum`

    /// No energy at the start.
    init(_ rate: Gauge) { self.rate = rate }

    /// Changes the rate, as `Heart.setRate`.
    mutating func setRate(_ signal: Signal?, at instant: Instant, begun: Instant?) {
        _ = kilojoules(at: instant)
        rate.set(signal, at: instant, begun: begun)
        rate.forget(before: position)
    }

    var remembered: Int { rate.remembered }

    /// Starts again from 0 at `instant`.
    mutating func reset(at instant: Instant) { (work, position) = (0, instant) }

    /// Kilojoules, rounded down and at most 65535. Instants must not decrease from call to call.
    mutating func kilojoules(at instant: Instant) -> UInt16 {
        let second: Int64 = 1_000_000_000
        while true {
            let power = Self.power(rate.value(at: position) ?? 0)
            let edge = position.advanced(byNanoseconds: second - position.nanoseconds % second)
            let end = min(edge, instant)
            let sum = min(work + power * max(0, end.nanoseconds - position.nanoseconds), Self.maximum)
            guard sum < Self.maximum else {
                (work, position) = (Self.maximum, max(position, instant))
                return 65535
            }
            guard edge <= instant else { return UInt16(sum / Self.kilojoule) }
            (work, position) = (sum, edge)
        }
    }

    /// Power in J/min.
    private static func power(_ bpm: Double) -> Int64 { bpm > 56 ? Int64((min(bpm, 65535) - 56) * 631) : 0 }
}
