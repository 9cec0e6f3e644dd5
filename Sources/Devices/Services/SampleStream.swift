import Sensors
import Simulation

/// Chooses which samples of an endless row are notified next: whole frames, no sample twice, and none left out unless
/// nobody was subscribed or the frames come too late.
struct SampleStream: Sendable {
    /// Samples that have been ready for longer are left out.
    private static let latest = Duration.seconds(1)

    private let clock: SampleClock
    private let delay: Duration
    /// The number of the next sample.
    private(set) var next: Int64 = 0
    /// The number of the next frame.
    private(set) var sequence: UInt16 = 0
    /// Whether samples were left out before the next frame.
    private(set) var hasGap = false

    /// Samples are known `delay` after they were taken.
    init(_ clock: SampleClock, delay: Duration = .zero) { (self.clock, self.delay) = (clock, delay) }

    /// Continues with the first sample that is not known yet.
    mutating func start(at now: Instant) {
        let known = known(at: now)
        hasGap = hasGap || (sequence > 0 && known > next)
        next = known
    }

    /// When so many samples will be known; `.never` for none.
    func due(_ count: Int) -> Instant {
        count > 0 ? clock.instant(of: next + Int64(count) - 1).advanced(by: delay) : .never
    }

    /// The samples that are known and were not notified, `most` at most.
    mutating func ready(_ most: Int, at now: Instant) -> Range<Int64> {
        let (known, frame) = (known(at: now), Int64(max(0, most)))
        if known - next > frame + clock.count(until: Instant.start.advanced(by: Self.latest)) {
            (next, hasGap) = (known - frame, true)
        }
        return next..<max(next, min(known, next + frame))
    }

    /// No sample before this will be notified.
    func oldest(at now: Instant) -> Instant {
        max(clock.instant(of: next), now.advanced(by: .zero - delay - Self.latest * 2))
    }

    /// These were notified.
    mutating func didNotify(_ samples: Range<Int64>) {
        (next, hasGap) = (samples.upperBound, false)
        sequence &+= 1
    }

    private func known(at now: Instant) -> Int64 { clock.count(until: now.advanced(by: .zero - delay)) }
}
