/// The last seconds of an electrocardiogram; what was lost is a gap.
package struct ECGStrip {
    /// How long at most, in seconds.
    package static let length = 6

    /// Samples a second; at least 1.
    package let rate: Int
    private var samples: [Int?] = []  // in microvolts; a ring when it is full
    private var oldest = 0
    private var next: UInt32  // the number of the next sample

    /// Empty, before the sample with this number.
    init(rate: Int, from index: UInt32) { (self.rate, next) = (min(max(1, rate), 65535), index) }

    private var limit: Int { rate * Self.length }

    /// Samples from `index` on; 0 follows 4294967295. What was before is forgotten when they do not follow.
    package mutating func add(_ new: [Int16], at index: UInt32) {
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

    /// The last so many seconds; `nil` where nothing is known.
    package func last(seconds: Int) -> [Int?] {
        let count = min(max(0, seconds), Self.length) * rate
        let known = (samples[oldest...] + samples[..<oldest]).suffix(count)
        return Array(repeating: nil, count: count - known.count) + known
    }
}
