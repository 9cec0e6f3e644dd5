import Basics
import Characteristics

/// The tally of a fast stream: reported at most once a second, so that users need not read hundreds of lines.
struct StreamReport: Sendable {
    private var tally = SampleTally()
    private var toldAt: Instant?

    /// Counts a frame of `count` samples from `index` on; false for a duplicate or late frame, which must be dropped.
    mutating func add(index: UInt32, count: Int, timeStamp: UInt64? = nil) -> Bool {
        tally.add(index: index, count: count, timeStamp: timeStamp)
    }

    mutating func due(at now: Instant) -> SampleTally? {
        if let toldAt, toldAt.duration(to: now) < .seconds(1) { return nil }
        toldAt = now
        return tally.take()
    }

    /// The tally not reported yet; nil when it is empty.
    mutating func rest() -> SampleTally? {
        tally.samples > 0 || tally.lost > 0 || tally.dropped > 0 ? tally.take() : nil
    }
}
