public import Simulation

/// When samples are taken: a whole number in a second, a little fast or slow as a crystal may be.
///
/// Sample 0 is taken at the start.  Instants are those of exact arithmetic, rounded down to a nanosecond: no error adds
/// up, however long it runs.
public struct SampleClock: Hashable, Sendable {
    /// How many samples a second has, 1 to 100,000.
    public let hertz: Int
    private let rate: UInt64  // in µHz: samples in a million seconds
    private static let second: UInt64 = 1_000_000_000_000_000  // so that 1 s is `second` / `rate` ns

    /// So many samples a second, and faster by so many millionths of that, -100,000 to 100,000.
    ///
    /// What is outside is moved to the nearer end.
    public init(hertz: Int, partsPerMillion: Int = 0) {
        self.hertz = min(max(1, hertz), 100_000)
        rate = UInt64(self.hertz * (1_000_000 + min(max(-100_000, partsPerMillion), 100_000)))
    }

    /// When a sample is taken; `.never` when it cannot be counted.
    public func instant(of index: Int64) -> Instant {
        let product = UInt64(max(0, index)).multipliedFullWidth(by: Self.second)
        guard product.high < rate else { return .never }
        let nanoseconds = rate.dividingFullWidth(product).quotient
        return Int64(exactly: nanoseconds).map { Instant(nanoseconds: $0) } ?? .never
    }

    /// How many samples have been taken up to and including an instant.
    public func count(until instant: Instant) -> Int64 {
        guard instant >= .start else { return 0 }
        let product = (UInt64(instant.nanoseconds) + 1).multipliedFullWidth(by: rate)
        guard product.high < Self.second else { return .max }
        let (count, rest) = Self.second.dividingFullWidth(product)
        return Int64(clamping: rest == 0 ? count : count + 1)
    }

    /// Calls `body` with the instant of each sample, in nanoseconds since the start, in order; cheaper than one by one.
    func forEach(in indices: Range<Int64>, _ body: (Int64) -> Void) {
        let first = instant(of: indices.lowerBound)
        guard !indices.isEmpty, first < .never else { return }
        let (step, fraction) = Self.second.quotientAndRemainder(dividingBy: rate)
        let product = UInt64(max(0, indices.lowerBound)).multipliedFullWidth(by: Self.second)
        var (nanoseconds, rest) = (first.nanoseconds, rate.dividingFullWidth(product).remainder)
        for _ in indices {
            body(nanoseconds)
            nanoseconds &+= Int64(step)
            rest += fraction
            if rest >= rate { (nanoseconds, rest) = (nanoseconds &+ 1, rest - rate) }
        }
    }
}
