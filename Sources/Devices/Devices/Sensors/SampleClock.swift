package import Basics

/// The sampling times of a sensor with a whole number of samples per second and an inaccurate crystal.
///
/// Sample 0 is taken at the start. Instants are exact, rounded down to nanoseconds, so errors never add up.
package struct SampleClock: Hashable, Sendable {
    /// Nominal number of samples per second, 1 to 100,000.
    package let hertz: Int
    private let rate: UInt64  // in µHz: samples in a million seconds
    private static let second: UInt64 = 1_000_000_000_000_000  // so that 1 s is `second` / `rate` ns

    /// A clock with a nominal rate and a deviation in parts per million, -100,000 to 100,000; both are clamped.
    package init(hertz: Int, partsPerMillion: Int = 0) {
        self.hertz = min(max(1, hertz), 100_000)
        rate = UInt64(self.hertz * (1_000_000 + min(max(-100_000, partsPerMillion), 100_000)))
    }

    /// The instant of a sample; `.never` if it is out of range.
    package func instant(of index: Int64) -> Instant {
        let product = UInt64(max(0, index)).multipliedFullWidth(by: Self.second)
        guard product.high < rate else { return .never }
        let nanoseconds = rate.dividingFullWidth(product).quotient
        return Int64(exactly: nanoseconds).map { Instant(nanoseconds: $0) } ?? .never
    }

    /// Number of samples up to and including an instant.
    package func count(until instant: Instant) -> Int64 {
        guard instant >= .start else { return 0 }
        let product = (UInt64(instant.nanoseconds) + 1).multipliedFullWidth(by: rate)
        guard product.high < Self.second else { return .max }
        let (count, rest) = Self.second.dividingFullWidth(product)
        return Int64(clamping: rest == 0 ? count : count + 1)
    }

    /// Calls `body` with the instant of each sample, in nanoseconds since the start; faster than one by one.
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
