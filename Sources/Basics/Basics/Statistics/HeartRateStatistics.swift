/// A statistic over many heart rates that a client reports.
package struct Statistic: Hashable, Sendable {
    /// The kind of a statistic.
    package enum Name: String, CaseIterable, Sendable {
        /// The mean of the last 50,000 values.
        case average = "average_heart_rate"
        /// The mean of the last 1,000 values below 65.
        case resting = "resting_heart_rate"
        /// The most frequent of the last 20,000 values; of several, the lowest.
        case mostFrequent = "most_frequent_heart_rate"

        /// The number of values that it needs, and of which it keeps the last.
        package var count: Int {
            switch self {
            case .average: 50_000
            case .resting: 1000
            case .mostFrequent: 20_000
            }
        }
    }

    /// The heart rate from which on values do not count as those of a heart at rest.
    package static let restingBound: UInt16 = 65

    package let name: Name
    /// The value in thousandths of beats per minute.
    package let thousandths: UInt64

    /// A statistic with a value in thousandths of beats per minute.
    package init(_ name: Name, thousandths: UInt64) {
        self.name = name
        self.thousandths = thousandths
    }

    /// The value in beats per minute.
    package var value: Double { Double(thousandths) / 1000 }
}

/// The three statistics over a series of heart rates.
///
/// Each is reported as soon as it has enough values, and then with the first value of each period: 5 s for the most
/// frequent, 1 s for the others. Periods are counted from the first report, so that delays do not add up.
package struct HeartRateStatistics: Sendable {
    private var average = RollingMean(last: Statistic.Name.average.count)
    private var resting = RollingMean(last: Statistic.Name.resting.count, below: Statistic.restingBound)
    private var mostFrequent = RollingMode(last: Statistic.Name.mostFrequent.count)
    private var averagePeriod = ReportPeriod(1_000_000_000)
    private var restingPeriod = ReportPeriod(1_000_000_000)
    private var mostFrequentPeriod = ReportPeriod(5_000_000_000)

    package init() {}

    /// Adds a value in beats per minute and appends the statistics that are due; `now` must not decrease.
    package mutating func add(_ bpm: UInt16, at now: Instant, into outbox: inout [Statistic]) {
        average.add(bpm)
        let isResting = resting.add(bpm)
        mostFrequent.add(bpm)
        if averagePeriod.isDue(at: now), let value = average.thousandths {
            averagePeriod.report(at: now)
            outbox.append(Statistic(.average, thousandths: value))
        }
        if isResting, restingPeriod.isDue(at: now), let value = resting.thousandths {
            restingPeriod.report(at: now)
            outbox.append(Statistic(.resting, thousandths: value))
        }
        if mostFrequentPeriod.isDue(at: now), let value = mostFrequent.value {
            mostFrequentPeriod.report(at: now)
            outbox.append(Statistic(.mostFrequent, thousandths: UInt64(value) * 1000))
        }
    }
}

/// Allows one report per period; the first period starts with the first report.
struct ReportPeriod {
    private let period: Int64
    private var next: Instant?

    /// A period in nanoseconds, more than 0.
    init(_ period: Int64) { self.period = period }

    func isDue(at now: Instant) -> Bool { next.map { $0 <= now && $0 != .never } ?? true }

    /// Notes a report; the next one is due at the end of the period that contains `now`.
    mutating func report(at now: Instant) {
        let late = next.map { (now.nanoseconds - $0.nanoseconds) % period } ?? 0
        next = now.advanced(byNanoseconds: period - late)
    }
}
