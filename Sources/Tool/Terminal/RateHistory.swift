/// The last heart rates, for a chart; `nil` is where the display was cleared.
struct RateHistory {
    package static let length = 300

    package private(set) var rates: [Int?] = []

    package mutating func add(_ bpm: UInt16) { append(Int(bpm)) }

    /// The rates before and behind are not joined.
    package mutating func interrupt() {
        if let last = rates.last, last != nil { append(nil) }
    }

    private mutating func append(_ rate: Int?) {
        if rates.count == Self.length { rates.removeFirst() }
        rates.append(rate)
    }

    /// The newest at the end, with nothing in front of the first one: few of them, while there are few.
    package var window: [Int?] {
        let length = [30, 75, 150].first { rates.count <= $0 } ?? Self.length
        return Array(repeating: nil, count: length - rates.count) + rates
    }
}
