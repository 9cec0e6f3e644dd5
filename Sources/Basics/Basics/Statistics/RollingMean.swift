/// The mean of the last values of a series, or of those below a bound. The sum is exact, so rounding errors do not add
/// up.
package struct RollingMean: Sendable {
    private let bound: UInt16?
    private var ring: RingBuffer
    private var sum: UInt64 = 0

    /// The mean of the last `count` values, at least 1, that are less than `bound`.
    package init(last count: Int, below bound: UInt16? = nil) {
        self.bound = bound
        ring = RingBuffer(last: count)
    }

    /// Adds a value; returns false if the bound excludes it.
    @discardableResult
    package mutating func add(_ value: UInt16) -> Bool {
        if let bound, value >= bound { return false }
        sum += UInt64(value)
        if let former = ring.add(value) { sum -= UInt64(former) }
        return true
    }

    /// The mean in thousandths, halves rounded up; nil until there are `count` values.
    package var thousandths: UInt64? {
        guard ring.isFull else { return nil }
        let count = UInt64(ring.count)
        return (sum * 1000 + count / 2) / count
    }

    /// The mean; nil until there are `count` values.
    package var value: Double? { ring.isFull ? Double(sum) / Double(ring.count) : nil }
}
