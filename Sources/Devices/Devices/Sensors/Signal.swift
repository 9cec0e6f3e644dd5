import Basics

/// Evaluates a curve as a function of time and seed, with the same results on every machine.
///
/// Only additions, multiplications and divisions are used, which IEEE 754 rounds the same everywhere, and
/// `sin(turns:)`. Times are whole nanoseconds.
///
/// Results do not depend on earlier calls. The position in a random walk is cached; a query for an unrelated time takes
/// up to some hundred thousand steps.
package struct Signal: Sendable {
    private let node: Node
    private var walks: [Walk] = []

    /// The values of a curve. Only random walks use the seed; each walk of a sum has its own stream.
    package init(_ curve: Curve, seed: UInt64 = 0) {
        node = Node(curve, walks: &walks, RandomStream(seed: seed))
    }

    package init(_ value: Double) { self.init(.constant(value)) }

    /// How many steps of random walks were computed so far.
    var computedSteps: Int { walks.reduce(0) { $0 + $1.computed } }

    /// The value at a time since the curve's start; nil when the curve has stopped.
    package mutating func value(at time: Duration) -> Double? { value(atNanoseconds: time.inNanoseconds) }

    /// The value at a time in nanoseconds since the curve's start; nil when the curve has stopped.
    package mutating func value(atNanoseconds time: Int64) -> Double? {
        if case .constant(let value) = node { return value }
        return node.value(at: max(0, time), &walks)
    }
}

/// A curve with periods in nanoseconds, at least 1, and numbered walks.
private indirect enum Node: Sendable {
    case constant(Double)
    case list([Double], period: Int64, then: Curve.Ending)
    case ramp(start: Double, end: Double, over: Int64)
    case step(start: Double, by: Double, period: Int64)
    case sine(mean: Double, amplitude: Double, period: Int64)
    case walk(Int)
    case pieces([(node: Node, end: Int64)])
    case days(sums: [Double], profile: Curve.Profile)
    case samples([(time: Int64, value: Double)])
    case sum([Node])

    init(_ curve: Curve, walks: inout [Walk], _ chance: RandomStream) {
        func whole(_ duration: Duration) -> Int64 { max(1, duration.inNanoseconds) }
        switch curve {
        case .constant(let value): self = .constant(value)
        case .list(let values, let period, let then): self = .list(values, period: whole(period), then: then)
        case .ramp(let start, let end, let over): self = .ramp(start: start, end: end, over: whole(over))
        case .step(let start, let by, let period): self = .step(start: start, by: by, period: whole(period))
        case .sine(let mean, let amplitude, let period):
            self = .sine(mean: mean, amplitude: amplitude, period: whole(period))
        case .walk(let start, let by, let period, let range):
            self = .walk(walks.count)
            let own = chance.stream("walk \(walks.count)")
            walks.append(Walk(start: start, by: by, period: whole(period), range: range, own))
        case .pieces(let pieces):
            var begin: Int64 = 0
            var ends: [(node: Node, end: Int64)] = []
            for piece in pieces {
                let length = piece.duration.map(whole) ?? .max
                let (end, isEndless) = begin.addingReportingOverflow(length)
                ends.append((Node(piece.curve, walks: &walks, chance), isEndless ? .max : end))
                if isEndless { break }
                begin = end
            }
            self = .pieces(ends)
        case .days(let totals, let profile):
            self = .days(
                sums: totals.reduce(into: [0]) { sums, total in sums.append((sums.last ?? 0) + total) },
                profile: profile)
        case .samples(let samples): self = .samples(samples.map { ($0.time.inNanoseconds, $0.value) })
        case .sum(let terms): self = .sum(terms.map { Node($0, walks: &walks, chance) })
        }
    }

    /// `time` must not be negative.
    func value(at time: Int64, _ walks: inout [Walk]) -> Double? {
        switch self {
        case .constant(let value): return value
        case .list(let values, let period, let then): return Self.listed(values, Int(time / period), then)
        case .ramp(let start, let end, let over):
            return time >= over ? end : start + (end - start) * (Double(time) / Double(over))
        case .step(let start, let by, let period): return start + by * Double(time / period)
        case .sine(let mean, let amplitude, let period):
            return mean + amplitude * sin(turns: Double(time % period) / Double(period))
        case .walk(let number): return walks[number].value(at: time)
        case .pieces(let pieces):
            var begin: Int64 = 0
            for piece in pieces {
                if time < piece.end { return piece.node.value(at: time - begin, &walks) }
                begin = piece.end
            }
            return nil
        case .days(let sums, let profile): return Self.counted(sums, at: time, profile)
        case .samples(let samples): return Self.sampled(samples, at: time)
        case .sum(let terms):
            var sum = 0.0
            for term in terms {
                guard let value = term.value(at: time, &walks) else { return nil }
                sum += value
            }
            return sum
        }
    }

    private static func listed(_ values: [Double], _ index: Int, _ then: Curve.Ending) -> Double? {
        if index < values.count { return values[index] }
        switch then {
        case .hold: return values.last
        case .repeat: return values.isEmpty ? nil : values[index % values.count]
        case .stop: return nil
        }
    }

    /// `sums[n]` is the total of the first n days.
    private static func counted(_ sums: [Double], at time: Int64, _ profile: Curve.Profile) -> Double {
        let hour: Int64 = 3_600_000_000_000
        let count = Int64(sums.count - 1)
        guard count > 0, let row = sums.last else { return 0 }
        let day = time / (24 * hour)
        let (begin, length) = profile == .flat ? (0, 24 * hour) : (7 * hour, 16 * hour)
        let part = Double(min(max(0, time % (24 * hour) - begin), length)) / Double(length)
        let (before, after) = (sums[Int(day % count)], sums[Int(day % count) + 1])
        return Double(day / count) * row + before + (after - before) * part
    }

    private static func sampled(_ samples: [(time: Int64, value: Double)], at time: Int64) -> Double? {
        let next = samples.searchedIndex(after: { $0.time <= time })
        return next == 0 ? samples.first?.value : samples[next - 1].value
    }
}
