/// The variability of a heart rate as RMSSD: the root of the mean square of the differences between successive RR
/// intervals.
///
/// Task Force of the European Society of Cardiology and the North American Society of Pacing and Electrophysiology, "Heart
/// rate variability: standards of measurement, physiological interpretation, and clinical use", Circulation 93 (1996),
/// 1043–1065. It defines RMSSD over the intervals of normal beats, and recommends recordings of 5 minutes.
///
/// A sensor does not say which beats are normal. A pair of successive intervals counts if both are between 300 ms and
/// 2,000 ms, and the second differs from the first by at most a fifth. An early or missed beat spoils only its neighbours.
package struct HeartRateVariability: Sendable {
    /// The number of pairs from which on there is a value.
    package static let leastPairs = 30
    /// What the last intervals add up to, in seconds.
    package static let window = 300

    /// An interval, and its difference from the one before; both in units of 1/1024 s.
    private struct Entry {
        let interval: UInt16
        /// Nil if the pair does not count.
        let square: UInt64?
    }

    private static let unitsPerSecond = 1024
    private static let plausible: ClosedRange<UInt16> = 308...2048
    /// More are not kept, also if a device claims beats without end.
    private static let mostEntries = 2000

    private var entries: [Entry] = []
    private var duration = 0
    private var sum: UInt64 = 0
    /// The number of pairs that count.
    package private(set) var pairs = 0
    private var last: UInt16?

    package init() {}

    /// The number of intervals that do not count with the one before, among the last.
    package var leftOut: Int { entries.count - pairs }

    /// Adds an interval in units of 1/1024 s, which follows the one before.
    package mutating func add(_ interval: UInt16) {
        defer { last = interval }
        guard let last else { return }
        append(Entry(interval: interval, square: Self.square(last, interval)))
        while duration > Self.window * Self.unitsPerSecond || entries.count > Self.mostEntries { removeFirst() }
    }

    /// The next interval does not follow the last one.
    package mutating func interrupt() { last = nil }

    /// RMSSD in milliseconds; nil until there are enough pairs.
    package var rmssd: Double? {
        guard pairs >= Self.leastPairs else { return nil }
        return (Double(sum) / Double(pairs)).squareRoot() * 1000 / Double(Self.unitsPerSecond)
    }

    private static func square(_ first: UInt16, _ second: UInt16) -> UInt64? {
        guard plausible.contains(first), plausible.contains(second) else { return nil }
        let difference = UInt64(max(first, second) - min(first, second))
        return difference * 5 <= UInt64(first) ? difference * difference : nil
    }

    private mutating func append(_ entry: Entry) {
        entries.append(entry)
        duration += Int(entry.interval)
        sum += entry.square ?? 0
        pairs += entry.square == nil ? 0 : 1
    }

    private mutating func removeFirst() {
        let entry = entries.removeFirst()
        duration -= Int(entry.interval)
        sum -= entry.square ?? 0
        pairs -= entry.square == nil ? 0 : 1
    }
}
