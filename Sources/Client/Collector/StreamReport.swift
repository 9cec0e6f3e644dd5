import Characteristics
import Simulation

/// What came of a fast stream: told at most once a second, so that nobody has to read hundreds of lines.
struct StreamReport: Sendable {
    private var tally = SampleTally()
    private var toldAt: Instant?

    /// Counts a frame of `count` samples from `index` on; false when it came twice or too late, and has to be dropped.
    mutating func add(index: UInt32, count: Int) -> Bool { tally.add(index: index, count: count) }

    /// What is to be told now.
    mutating func due(at now: Instant) -> SampleTally? {
        if let toldAt, toldAt.duration(to: now) < .seconds(1) { return nil }
        toldAt = now
        return tally.take()
    }

    /// What has not been told yet; nil when that is nothing.
    mutating func rest() -> SampleTally? {
        tally.samples > 0 || tally.lost > 0 || tally.dropped > 0 ? tally.take() : nil
    }
}
