/// The last values of a row, at most so many: two octets each, and no more of them than were ever added.
struct Ring {
    private let limit: Int
    private var values: [UInt16] = []
    private var oldest = 0

    /// At least 1 is kept.
    init(last limit: Int) { self.limit = max(1, limit) }

    var isFull: Bool { values.count == limit }
    var count: Int { values.count }

    /// Adds a value, and gives back the one that it takes the place of.
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
