package import Basics

/// Chooses the samples of the next notification: whole frames, no sample twice, and none omitted unless nobody was
/// subscribed or the frames come too late.
package struct SampleStream: Sendable {
    /// Samples that have been ready for longer are omitted.
    private static let latest = Duration.seconds(1)

    private let clock: SampleClock
    private let delay: Duration
    package private(set) var next: Int64 = 0
    /// The number of the next frame.
    package private(set) var sequence: UInt16 = 0
    /// Whether samples were omitted before the next frame.
    package private(set) var hasGap = false

    /// Samples are ready `delay` after they were taken.
    package init(_ clock: SampleClock, delay: Duration = .zero) { (self.clock, self.delay) = (clock, delay) }

    /// Continues with the first sample that is not ready yet.
    package mutating func start(at now: Instant) {
        let known = known(at: now)
        hasGap = hasGap || (sequence > 0 && known > next)
        next = known
    }

    /// When the next `count` samples will be ready; `.never` if `count` is 0.
    package func due(_ count: Int) -> Instant {
        count > 0 ? clock.instant(of: next + Int64(count) - 1).advanced(by: delay) : .never
    }

    /// The samples that are ready and were not notified, at most `most`.
    package mutating func ready(_ most: Int, at now: Instant) -> Range<Int64> {
        let (known, frame) = (known(at: now), Int64(max(0, most)))
        if known - next > frame + clock.count(until: Instant.start.advanced(by: Self.latest)) {
            (next, hasGap) = (known - frame, true)
        }
        return next..<max(next, min(known, next + frame))
    }

    /// Earlier samples will not be notified any more.
    package func oldest(at now: Instant) -> Instant {
        max(clock.instant(of: next), now.advanced(by: .zero - delay - Self.latest * 2))
    }

    /// Marks the samples as notified.
    package mutating func didNotify(_ samples: Range<Int64>) {
        (next, hasGap) = (samples.upperBound, false)
        sequence &+= 1
    }

    private func known(at now: Instant) -> Int64 { clock.count(until: now.advanced(by: .zero - delay)) }
}
