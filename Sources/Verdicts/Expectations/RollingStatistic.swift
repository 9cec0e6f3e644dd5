import ScenarioModel

/// A statistic over the last values.
///
/// `mean`, `mode` and `sum` of the last N values are nil before there are N.  It does not use the module `Statistics`, so
/// that the judge does not share code with the client that it judges.
struct RollingStatistic: Sendable {
    private let truth: Matcher.Truth
    private var newest: Datum?
    private var total = 0
    private var sum = 0.0
    private var ring: [Double] = []
    private var oldest = 0
    private var frequencies = Frequencies()

    init(_ truth: Matcher.Truth) { self.truth = truth }

    mutating func add(_ value: Datum) {
        switch (value, truth.statistic) {
        case (.number(let number), _) where number >= truth.below ?? .infinity: return
        case (.number(let number), .mean), (.number(let number), .mode), (.number(let number), .sum): add(number)
        case (.number, _): break
        case (_, .last), (_, .count): guard truth.below == nil else { return }
        case (_, .mean), (_, .mode), (_, .sum): return
        }
        (newest, total) = (value, total + 1)
    }

    private mutating func add(_ number: Double) {
        sum += number
        if truth.statistic == .mode { frequencies.add(number) }
        guard let last = truth.last else { return }
        guard ring.count >= max(1, last) else { return ring.append(number) }
        sum -= ring[oldest]
        if truth.statistic == .mode { frequencies.remove(ring[oldest]) }
        ring[oldest] = number
        oldest = (oldest + 1) % ring.count
    }

    /// The present result; nil without enough values.
    var value: Datum? {
        guard let newest else { return nil }
        let count = truth.last.map { min($0, total) } ?? total
        switch truth.statistic {
        case .last: return newest
        case .count: return .number(Double(count))
        case .mean: return isFull ? .number(sum / Double(count)) : nil
        case .sum: return isFull ? .number(sum) : nil
        case .mode: return isFull ? frequencies.mode.map(Datum.number) : nil
        }
    }

    private var isFull: Bool { truth.last.map { ring.count >= $0 } ?? true }
}

/// Counts of values, and the most frequent one.
struct Frequencies: Sendable {
    private var counts: [Double: Int] = [:]
    /// The most frequent value; of equally frequent ones, the lowest.
    private(set) var mode: Double?

    mutating func add(_ value: Double) {
        let count = counts[value, default: 0] + 1
        counts[value] = count
        guard let mode else {
            mode = value
            return
        }
        let most = counts[mode, default: 0]
        if count > most || count == most && value < mode { self.mode = value }
    }

    mutating func remove(_ value: Double) {
        guard let count = counts[value] else { return }
        counts[value] = count > 1 ? count - 1 : nil
        // The result does not depend on the order of the dictionary.
        if value == mode { mode = counts.min { ($1.value, $0.key) < ($0.value, $1.key) }?.key }
    }
}
