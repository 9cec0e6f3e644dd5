import Basics

/// A random walk and its last position.
///
/// Any step is found without computing all steps before it. Steps are grouped into blocks of 65,536, each with its own
/// random stream. The starts of the blocks form another walk, whose steps are √65,536 = 256 times as long (as far as
/// 65,536 random steps lead, but at most the range) and which is evaluated in the same way. One block of the fourth
/// level contains more steps than there are nanoseconds. Any step therefore takes at most four blocks, and results do
/// not depend on earlier queries.
///
/// A block ends where the next one starts: it stays inside a wedge that narrows towards that point by a sixteenth of
/// the maximum step with each step, which mostly affects only the last few hundred steps.
///
/// A walk with a period below 1 ms takes as many steps at once as last at least 1 ms: n steps lead √n times as far as
/// one. However short its period, a day has at most as many steps as milliseconds.
struct Walk: Sendable {
    private static let levels = 4
    private static let shortestPeriod: Int64 = 1_000_000  // nanoseconds
    private let start: Double
    private let period: Int64
    private var stretches: [Stretch]  // finest first

    init(start: Double, by: Double, period: Int64, range: ClosedRange<Double>, _ chance: RandomStream) {
        self.start = min(max(start, range.lowerBound), range.upperBound)
        let period = max(1, period)
        let together = (Self.shortestPeriod - 1) / period + 1
        self.period = period * together
        let width = min(range.upperBound - range.lowerBound, .greatestFiniteMagnitude)
        var by = by.magnitude
        if together > 1 { by = min(by * Double(together).squareRoot(), width) }
        stretches = (0..<Self.levels).map { level in
            defer { by = min(by * 256, width) }
            return Stretch(by: by, range, level == 0 ? chance : chance.stream("level \(level)"))
        }
    }

    /// How many steps were computed so far.
    var computed: Int { stretches.reduce(0) { $0 + $1.computed } }

    mutating func value(at time: Int64) -> Double { place(after: time / period, on: 0) }

    private mutating func place(after steps: Int64, on level: Int) -> Double {
        let (block, rest) = steps.quotientAndRemainder(dividingBy: Stretch.length)
        if stretches[level].block != block {
            if level + 1 < Self.levels {
                let begin = place(after: block, on: level + 1)
                stretches[level].begin(block, at: begin, end: place(after: block + 1, on: level + 1))
            } else {
                stretches[level].begin(block, at: start, end: nil)
            }
        }
        return stretches[level].place(after: rest)
    }
}

/// A block of a walk and the position in it.
private struct Stretch: Sendable {
    static let length: Int64 = 1 << 16
    private let by: Double
    private let range: ClosedRange<Double>
    private let origin: RandomStream
    private(set) var block: Int64 = -1
    private var start = 0.0
    private var end: Double?
    private var beginning: RandomStream
    private var chance: RandomStream
    private var steps: Int64 = 0
    private var place = 0.0
    private(set) var computed = 0

    init(by: Double, _ range: ClosedRange<Double>, _ chance: RandomStream) {
        (self.by, self.range) = (by, range)
        (origin, beginning, self.chance) = (chance, chance, chance)
    }

    mutating func begin(_ block: Int64, at start: Double, end: Double?) {
        (self.block, self.start, self.end) = (block, start, end)
        beginning = block == 0 ? origin : origin.stream("block \(block)")
        goBack()
    }

    private mutating func goBack() { (steps, place, chance) = (0, start, beginning) }

    mutating func place(after target: Int64) -> Double {
        if target < steps { goBack() }
        while steps < target {
            steps += 1
            computed += 1
            step()
        }
        return place
    }

    private mutating func step() {
        let part = Double(chance.next() >> 11) * 0x1p-53  // 0 ..< 1, exactly
        place += by * (2 * part - 1)
        if place > range.upperBound { place = 2 * range.upperBound - place }
        if place < range.lowerBound { place = 2 * range.lowerBound - place }
        // A step may be longer than the range; NaN becomes the lower bound.
        place = place >= range.lowerBound ? min(place, range.upperBound) : range.lowerBound
        guard let end else { return }
        let reach = Double(Self.length - steps) * (by / 16)
        place = min(max(place, end - reach), end + reach)
    }
}
