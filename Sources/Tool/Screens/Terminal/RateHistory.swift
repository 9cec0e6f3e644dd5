/// The last heart rates for a chart; `nil` marks a cleared display.
struct RateHistory {
    static let length = 300

    private(set) var rates: [Int?] = []

    mutating func add(_ bpm: UInt16) { append(Int(bpm)) }

    /// The line has a gap here.
    mutating func interrupt() {
        if let last = rates.last, last != nil { append(nil) }
    }

    private mutating func append(_ rate: Int?) {
        if rates.count == Self.length { rates.removeFirst() }
        rates.append(rate)
    }

    /// The last rates, the newest at the end; fewer at the start.
    var window: [Int?] {
        let length = [30, 75, 150].first { rates.count <= $0 } ?? Self.length
        return Array(repeating: nil, count: length - rates.count) + rates
    }
}
