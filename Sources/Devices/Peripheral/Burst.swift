import Services
import Simulation

/// When a value is told at a rate of its own, in place of its sensor's period.
struct Burst: Sendable {
    let part: Part
    private let rate: Double  // in a second
    private var begun: Instant
    private var count: Int64 = 0  // of those that were told since then, or left out
    private var isWaiting = false  // for a confirmation

    /// The first at `begun`, or if that is before `now`, the next one that has not been missed.
    init(_ part: Part, rate: Double, from begun: Instant, at now: Instant) {
        (self.part, self.rate, self.begun) = (part, rate, begun)
        skip(to: now)
    }

    var due: Instant { isWaiting ? .never : instant(of: count) }

    private func instant(of index: Int64) -> Instant {
        begun.advanced(byNanoseconds: Int64(exactly: (Double(index) * 1e9 / rate).rounded(.down)) ?? .max)
    }

    /// One was told, or there was none to be told.  One that is to be confirmed holds up the next, which follows then as
    /// soon as the rate allows.
    mutating func told(at now: Instant, awaitsConfirmation: Bool) {
        if awaitsConfirmation { (begun, count) = (now, 0) }
        count += 1
        isWaiting = awaitsConfirmation
    }

    /// The next need not wait for a confirmation.
    mutating func goOn() { isWaiting = false }

    /// What should have been told before now is left out, for nobody could hear it.
    mutating func skip(to now: Instant) {
        isWaiting = false
        guard instant(of: count) < now else { return }
        let passed = Double(begun.duration(to: now).inNanoseconds) * rate / 1e9
        count = Int64(exactly: passed.rounded(.down)) ?? .max
        while count < .max, instant(of: count) < now { count += 1 }
    }
}
