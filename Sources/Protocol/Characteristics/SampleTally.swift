/// How many numbered samples came, and how many are missing between them: of ECG Samples (0201) and Heart Rate Values
/// (0301), by the index of a frame's first sample.
///
/// A frame that brings nothing new came twice, or too late: it is dropped.  Only when eight of them follow one another,
/// or they go back by more than 65,536 samples, the feed has begun again.
public struct SampleTally: Hashable, Sendable {
    /// How many came since the tally was last taken.
    public private(set) var samples: UInt64 = 0
    /// How many were skipped; who comes too late stays lost.
    public private(set) var lost: UInt64 = 0
    /// How many were dropped.
    public private(set) var dropped: UInt64 = 0

    private var next: UInt32?
    /// Of the frames that were dropped one after the other: how many, and what would follow them.
    private var run = 0
    private var follows: UInt32 = 0

    private static let longestRun = 8
    private static let farthest: UInt32 = 65_536

    /// Nothing came yet; the first frame may begin with any index.
    public init() {}

    /// Counts a frame of `count` samples from `index` on; false when it has to be dropped.
    @discardableResult
    public mutating func add(index: UInt32, count: Int) -> Bool {
        let count = UInt32(clamping: count)
        let end = index &+ count
        if let next {
            let skipped = index &- next
            if skipped < 0x8000_0000 {
                lost += UInt64(skipped)
            } else if count > 0, next &- end < 0x8000_0000, !beginsAgain(index, end, back: next &- index) {
                dropped += UInt64(count)
                return false
            }
        }
        samples += UInt64(count)
        (next, run) = (end, 0)
        return true
    }

    private mutating func beginsAgain(_ index: UInt32, _ end: UInt32, back: UInt32) -> Bool {
        run = Int32(bitPattern: index &- follows).magnitude <= 1 ? run + 1 : 1  // times are rounded
        follows = end
        return run >= Self.longestRun || back > Self.farthest
    }

    /// What was counted since this was last called.
    public mutating func take() -> SampleTally {
        defer { (samples, lost, dropped) = (0, 0, 0) }
        return self
    }
}
