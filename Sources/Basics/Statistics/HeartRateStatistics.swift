public import Simulation

/// What a client of heart rates says about all of them.
public struct Statistic: Hashable, Sendable {
    /// Which one.
    public enum Name: String, CaseIterable, Sendable {
        /// The mean of the last 50,000.
        case average = "average_heart_rate"
        /// The mean of the last 1,000 below 65.
        case resting = "resting_heart_rate"
        /// The most frequent of the last 20,000, the lowest of equals.
        case mostFrequent = "most_frequent_heart_rate"
    }

    /// Which one.
    public let name: Name
    /// Thousandths of beats a minute.
    public let thousandths: UInt64

    /// A statistic of that many thousandths of beats a minute.
    public init(_ name: Name, thousandths: UInt64) {
        self.name = name
        self.thousandths = thousandths
    }

    /// Beats a minute.
    public var value: Double { Double(thousandths) / 1000 }
}

/// The three statistics over one row of heart rates; none of them before there is enough.
///
/// Each is said with the value that completes it, and from then on with the first value of each of its periods: of 1 s,
/// the most frequent of 5 s.  Periods are counted from the first one, so that lateness does not add up.
public struct HeartRateStatistics: Sendable {
    private var average = RollingMean(last: 50_000)
    private var resting = RollingMean(last: 1000, below: 65)
    private var mostFrequent = RollingMode(last: 20_000)
    private var averageTurn = Turn(every: 1_000_000_000)
    private var restingTurn = Turn(every: 1_000_000_000)
    private var mostFrequentTurn = Turn(every: 5_000_000_000)

    /// Of nothing yet.
    public init() {}

    /// Takes in beats a minute, and adds the statistics that are due; `now` never goes back.
    public mutating func add(_ bpm: UInt16, at now: Instant, into outbox: inout [Statistic]) {
        average.add(bpm)
        let isResting = resting.add(bpm)
        mostFrequent.add(bpm)
        if averageTurn.isDue(at: now), let value = average.thousandths {
            averageTurn.take(at: now)
            outbox.append(Statistic(.average, thousandths: value))
        }
        if isResting, restingTurn.isDue(at: now), let value = resting.thousandths {
            restingTurn.take(at: now)
            outbox.append(Statistic(.resting, thousandths: value))
        }
        if mostFrequentTurn.isDue(at: now), let value = mostFrequent.value {
            mostFrequentTurn.take(at: now)
            outbox.append(Statistic(.mostFrequent, thousandths: UInt64(value) * 1000))
        }
    }
}

/// Once in each period; the first begins with the first turn that is taken.
struct Turn {
    private let period: Int64
    private var next: Instant?

    /// In nanoseconds, more than 0.
    init(every period: Int64) { self.period = period }

    func isDue(at now: Instant) -> Bool { next.map { $0 <= now && $0 != .never } ?? true }

    /// The next one is due at the end of the period that holds `now`.
    mutating func take(at now: Instant) {
        let late = next.map { (now.nanoseconds - $0.nanoseconds) % period } ?? 0
        next = now.advanced(byNanoseconds: period - late)
    }
}
