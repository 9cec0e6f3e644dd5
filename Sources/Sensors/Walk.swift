import Simulation

/// A random walk and how far it has been walked.
struct Walk: Sendable {
    private let start: Double
    private let by: Double
    private let period: Int64
    private let range: ClosedRange<Double>
    private let origin: RandomStream
    private var chance: RandomStream
    private var steps: Int64 = 0
    private var place: Double

    init(start: Double, by: Double, period: Int64, range: ClosedRange<Double>, _ chance: RandomStream) {
        (self.start, self.by, self.period, self.range) = (start, by, period, range)
        (origin, self.chance) = (chance, chance)
        place = min(max(start, range.lowerBound), range.upperBound)
    }

    mutating func value(at time: Int64) -> Double {
        let target = time / period
        if target < steps {
            (steps, chance) = (0, origin)
            place = min(max(start, range.lowerBound), range.upperBound)
        }
        while steps < target {
            step()
            steps += 1
        }
        return place
    }

    private mutating func step() {
        let part = Double(chance.next() >> 11) * 0x1p-53  // 0 ..< 1, exactly
        place += by * (2 * part - 1)
        if place > range.upperBound { place = 2 * range.upperBound - place }
        if place < range.lowerBound { place = 2 * range.lowerBound - place }
        place = min(max(place, range.lowerBound), range.upperBound)  // a step may be longer than the range
    }
}
