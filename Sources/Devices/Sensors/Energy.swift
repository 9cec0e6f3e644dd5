import Simulation

/// What a heart rate costs: 631 J a minute for each beat a minute above 56.
///
/// The regression of Keytel et al. (Journal of Sports Sciences 23, 2005) for a man of 70 kg and 30 years, in whole
/// numbers.  The rate of a second is that at its begin.
struct Energy: Sendable {
    private static let kilojoule: Int64 = 1000 * 60_000_000_000  // J/min · ns
    private static let most = 65535 * kilojoule
    private var rate: Gauge  // its own one: a walk that two ask for different times goes to and fro
    private var position = Instant.start
    private var work: Int64 = 0  // until `position`, in J/min · ns; at most `most`

    /// Nothing expended at the start.
    init(_ rate: Gauge) { self.rate = rate }

    /// As `Heart.setRate`.
    mutating func setRate(_ signal: Signal?, at instant: Instant, begun: Instant?) {
        _ = kilojoules(at: instant)
        rate.set(signal, at: instant, begun: begun)
        rate.forget(before: position)
    }

    /// How many changes of its rate it remembers.
    var remembered: Int { rate.remembered }

    /// Nothing expended at `instant`.
    mutating func reset(at instant: Instant) { (work, position) = (0, instant) }

    /// Kilojoules, rounded down; 65535 for all that is more.  Instants never go back from call to call.
    mutating func kilojoules(at instant: Instant) -> UInt16 {
        let second: Int64 = 1_000_000_000
        while true {
            let power = Self.power(rate.value(at: position) ?? 0)
            let edge = position.advanced(byNanoseconds: second - position.nanoseconds % second)
            let end = min(edge, instant)
            let sum = min(work + power * max(0, end.nanoseconds - position.nanoseconds), Self.most)
            guard sum < Self.most else {
                (work, position) = (Self.most, max(position, instant))
                return 65535
            }
            guard edge <= instant else { return UInt16(sum / Self.kilojoule) }
            (work, position) = (sum, edge)
        }
    }

    /// In J/min.
    private static func power(_ bpm: Double) -> Int64 { bpm > 56 ? Int64((min(bpm, 65535) - 56) * 631) : 0 }
}
