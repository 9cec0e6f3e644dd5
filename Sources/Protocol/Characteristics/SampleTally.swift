/// Counts received and missing samples of ECG Samples (0201) and Heart Rate Values (0301), by the index of each frame's
/// first sample.
///
/// A frame without new samples is a duplicate or late, and is dropped.  After eight such consecutive frames, or a step
/// back by more than 65,536 samples, the tally assumes that the device restarted its index.
public struct SampleTally: Hashable, Sendable {
    /// Which samples were received.
    public enum Position: Hashable, Sendable {
        /// The index of the first one.
        case index(UInt32)
        /// The time stamp of the last one, in nanoseconds since 2000, where frames have no index.
        case timeStamp(UInt64)
    }

    /// Samples received since the last `take`.
    public package(set) var samples: UInt64 = 0
    /// Samples skipped; late ones still count as lost.
    public package(set) var lost: UInt64 = 0
    /// Samples in dropped frames.
    public package(set) var dropped: UInt64 = 0
    /// Which samples were received since the last `take`; nil: none.
    public package(set) var position: Position?

    private var next: UInt32?
    /// The number of consecutive dropped frames, and the index that would follow the last.
    private var run = 0
    private var follows: UInt32 = 0

    private static let maximumRun = 8
    private static let maximumStepBack: UInt32 = 65_536

    /// An empty tally; the first frame may begin with any index.
    public init() {}

    /// Counts a frame of `count` samples from `index` on; returns false if the caller must drop it.
    ///
    /// Where the caller has made the index from `timeStamp`, that of the last sample, the tally keeps the time stamp.
    @discardableResult
    public mutating func add(index: UInt32, count: Int, timeStamp: UInt64? = nil) -> Bool {
        let count = UInt32(clamping: count)
        let end = index &+ count
        if let next {
            let skipped = index &- next
            if skipped < 0x8000_0000 {
                lost += UInt64(skipped)
            } else if count > 0, next &- end < 0x8000_0000, !restarts(index, end, back: next &- index) {
                dropped += UInt64(count)
                return false
            }
        }
        samples += UInt64(count)
        position = timeStamp.map(Position.timeStamp) ?? position ?? .index(index)
        (next, run) = (end, 0)
        return true
    }

    private mutating func restarts(_ index: UInt32, _ end: UInt32, back: UInt32) -> Bool {
        run = Int32(bitPattern: index &- follows).magnitude <= 1 ? run + 1 : 1  // tolerates rounding
        follows = end
        return run >= Self.maximumRun || back > Self.maximumStepBack
    }

    /// Returns the counts since the last call, and resets them.
    public mutating func take() -> SampleTally {
        defer { (samples, lost, dropped, position) = (0, 0, 0, nil) }
        return self
    }
}
