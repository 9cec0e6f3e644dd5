import Sensors
import Services
import Simulation

/// Which of the samples that a sensor takes without end are told next: whole frames, none twice, and none left out
/// unless who listens was away or the frames come too late.
struct SampleStream: Sendable {
    /// Samples that were ready so long ago are left out: who has been late for that long will not catch up.
    private static let latest = Duration.seconds(1)

    private let clock: SampleClock
    private let delay: Duration
    /// The number of the next sample.
    private(set) var next: Int64 = 0
    /// Of the frames that were told.
    private(set) var sequence: UInt16 = 0
    /// Whether samples were left out before the next frame.
    private(set) var hasGap = false

    /// Samples are known `delay` after they were taken.
    init(_ clock: SampleClock, delay: Duration = .zero) { (self.clock, self.delay) = (clock, delay) }

    /// Goes on with the first sample that is not known yet.
    mutating func begin(at now: Instant) {
        let known = known(at: now)
        hasGap = hasGap || (sequence > 0 && known > next)
        next = known
    }

    /// When so many samples are known; never for none.
    func due(_ count: Int) -> Instant {
        count > 0 ? clock.instant(of: next + Int64(count) - 1).advanced(by: delay) : .never
    }

    /// The samples that are known and were not told, `most` at most.
    mutating func ready(_ most: Int, at now: Instant) -> Range<Int64> {
        let (known, frame) = (known(at: now), Int64(max(0, most)))
        if known - next > frame + clock.count(until: Instant.start.advanced(by: Self.latest)) {
            (next, hasGap) = (known - frame, true)
        }
        return next..<max(next, min(known, next + frame))
    }

    /// No sample before this is told any more.
    func oldest(at now: Instant) -> Instant {
        max(clock.instant(of: next), now.advanced(by: .zero - delay - Self.latest * 2))
    }

    /// These were told.
    mutating func told(_ samples: Range<Int64>) {
        (next, hasGap) = (samples.upperBound, false)
        sequence &+= 1
    }

    private func known(at now: Instant) -> Int64 { clock.count(until: now.advanced(by: .zero - delay)) }
}
