/// The last values of a series, two octets each. The storage grows with the values up to the limit.
struct RingBuffer {
    private let limit: Int
    private var values: [UInt16] = []
    private var oldest = 0

    /// A buffer for `limit` values, at least 1.
    init(last limit: Int) { self.limit = max(1, limit) }

    var isFull: Bool { values.count == limit }
    var count: Int { values.count }

    mutating func add(_ value: UInt16) -> UInt16? {
        guard isFull else {
            values.append(value)
            return nil
        }
        let former = values[oldest]
        values[oldest] = value
        oldest = oldest + 1 == limit ? 0 : oldest + 1
        return former
    }
}
