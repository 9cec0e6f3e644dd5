/// The mean of the last values of a row, of all of them or of those below a bound: an exact sum, so nothing drifts.
public struct RollingMean: Sendable {
    private let bound: UInt16?
    private var ring: Ring
    private var sum: UInt64 = 0

    /// Of the last `count` values that are less than `bound`; of at least 1.
    public init(last count: Int, below bound: UInt16? = nil) {
        self.bound = bound
        ring = Ring(last: count)
    }

    /// Takes a value in; false when the bound excludes it.
    @discardableResult
    public mutating func add(_ value: UInt16) -> Bool {
        if let bound, value >= bound { return false }
        sum += UInt64(value)
        if let former = ring.add(value) { sum -= UInt64(former) }
        return true
    }

    /// Thousandths, a half rounded up; none before there are enough values.
    public var thousandths: UInt64? {
        guard ring.isFull else { return nil }
        let count = UInt64(ring.count)
        return (sum * 1000 + count / 2) / count
    }

    /// As precise as a `Double` is; none before there are enough values.
    public var value: Double? { ring.isFull ? Double(sum) / Double(ring.count) : nil }
}
