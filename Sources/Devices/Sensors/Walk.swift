import Simulation

/// A random walk, and where it has been found last.
///
/// Any step is found without all that lead to it.  Steps come in blocks of 65,536, counted from the start of the walk,
/// and each block has chance of its own.  Where blocks begin is a walk too: its steps are √65,536 = 256 times as long,
/// as far as 65,536 steps of chance lead, but not longer than the range; and its blocks are found in the same way.  Of
/// the fourth of these walks one block has more steps than there are nanoseconds.  So any step costs four blocks at the
/// most, and nothing depends on what was asked before.
///
/// A block ends where the next one begins: it keeps to a wedge that narrows towards that place by a sixteenth of the
/// longest step with each step, so that it is seldom felt before the last hundreds of steps.
struct Walk: Sendable {
    private static let levels = 4
    private let start: Double
    private let period: Int64
    private var stretches: [Stretch]  // the finest first

    init(start: Double, by: Double, period: Int64, range: ClosedRange<Double>, _ chance: RandomStream) {
        self.start = min(max(start, range.lowerBound), range.upperBound)
        self.period = max(1, period)
        let width = min(range.upperBound - range.lowerBound, .greatestFiniteMagnitude)
        var by = by.magnitude
        stretches = (0..<Self.levels).map { level in
            defer { by = min(by * 256, width) }
            return Stretch(by: by, range, level == 0 ? chance : chance.stream("level \(level)"))
        }
    }

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

/// A block of a walk, and how far it has been walked.
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
            step()
        }
        return place
    }

    private mutating func step() {
        let part = Double(chance.next() >> 11) * 0x1p-53  // 0 ..< 1, exactly
        place += by * (2 * part - 1)
        if place > range.upperBound { place = 2 * range.upperBound - place }
        if place < range.lowerBound { place = 2 * range.lowerBound - place }
        // A step may be longer than the range, and what is no number any more is somewhere too.
        place = place >= range.lowerBound ? min(place, range.upperBound) : range.lowerBound
        guard let end else { return }
        let reach = Double(Self.length - steps) * (by / 16)
        place = min(max(place, end - reach), end + reach)
    }
}
