/// The last seconds of an ECG; lost samples are gaps.
struct ECGStrip {
    /// The maximum length in seconds.
    static let length = 6

    /// Samples per second; at least 1.
    let rate: Int
    private var samples: [Int?] = []  // in microvolts; a ring when it is full
    private var oldest = 0
    private var next: UInt32  // the number of the next sample

    /// An empty strip that starts at a sample number.
    init(rate: Int, from index: UInt32) { (self.rate, next) = (min(max(1, rate), 65535), index) }

    private var limit: Int { rate * Self.length }

    /// Appends samples from number `index` on; 0 follows 4294967295. Clears the strip if they do not follow.
    mutating func add(_ new: [Int16], at index: UInt32) {
        let lost = index &- next
        if lost > limit {
            (samples, oldest) = ([], 0)
        } else {
            for _ in 0..<lost { add(nil) }
        }
        for sample in new { add(Int(sample)) }
        next = index &+ UInt32(truncatingIfNeeded: new.count)
    }

    private mutating func add(_ sample: Int?) {
        if samples.count < limit {
            samples.append(sample)
        } else {
            samples[oldest] = sample
            oldest = oldest + 1 == limit ? 0 : oldest + 1
        }
    }

    /// The last seconds; `nil` for a gap.
    func last(seconds: Int) -> [Int?] {
        let count = min(max(0, seconds), Self.length) * rate
        let known = (samples[oldest...] + samples[..<oldest]).suffix(count)
        return Array(repeating: nil, count: count - known.count) + known
    }
}
