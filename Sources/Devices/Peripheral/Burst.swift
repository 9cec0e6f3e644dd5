import Simulation

/// When a value is notified at a rate of the script, in place of its sensor's times.
struct Burst: Sendable {
    let value: DeviceValue
    private let rate: Double  // in a second
    private var begun: Instant
    private var count: Int64 = 0  // of those that were notified since then, or left out
    private var isWaiting = false  // for a confirmation

    /// The first at `begun`, or if that is before `now`, the next one that has not been missed.
    init(_ value: DeviceValue, rate: Double, from begun: Instant, at now: Instant) {
        (self.value, self.rate, self.begun) = (value, rate, begun)
        skip(to: now)
    }

    var due: Instant { isWaiting ? .never : instant(of: count) }

    private func instant(of index: Int64) -> Instant {
        begun.advanced(byNanoseconds: Int64(exactly: (Double(index) * 1e9 / rate).rounded(.down)) ?? .max)
    }

    /// A value was notified, or there was none.  After an indication the next waits for the confirmation, and then follows
    /// as soon as the rate allows.
    mutating func didNotify(at now: Instant, awaitsConfirmation: Bool) {
        if awaitsConfirmation { (begun, count) = (now, 0) }
        count += 1
        isWaiting = awaitsConfirmation
    }

    /// The next need not wait for a confirmation.
    mutating func stopWaiting() { isWaiting = false }

    /// Leaves out what was due before now.
    mutating func skip(to now: Instant) {
        isWaiting = false
        guard instant(of: count) < now else { return }
        let passed = Double(begun.duration(to: now).inNanoseconds) * rate / 1e9
        count = Int64(exactly: passed.rounded(.down)) ?? .max
        while count < .max, instant(of: count) < now { count += 1 }
    }
}
