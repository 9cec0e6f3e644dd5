/// How many numbered samples came, and how many are missing between them: of ECG Samples (0201) and Heart Rate Values
/// (0301), by the index of a frame's first sample.
public struct SampleTally: Hashable, Sendable {
    /// How many came since the tally was last taken.
    public private(set) var samples: UInt64 = 0
    /// How many were skipped.
    public private(set) var lost: UInt64 = 0
    private var next: UInt32?

    /// Nothing came yet; the first frame may begin with any index.
    public init() {}

    /// Counts a frame of `count` samples from `index` on.
    ///
    /// Indices that go back, as seen from the middle of their circle, are a feed that began again: nothing is lost.
    public mutating func add(index: UInt32, count: Int) {
        if let next, index &- next < 0x8000_0000 { lost += UInt64(index &- next) }
        samples += UInt64(max(0, count))
        next = index &+ UInt32(truncatingIfNeeded: max(0, count))
    }

    /// What was counted since this was last called.
    public mutating func take() -> SampleTally {
        defer { (samples, lost) = (0, 0) }
        return self
    }
}
