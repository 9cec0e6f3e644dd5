import Basics

/// When a value is notified at a rate that a script sets, instead of its sensor's schedule.
struct Burst: Sendable {
    let value: DeviceValue
    private let rate: Double  // in a second
    private var begun: Instant
    private var count: Int64 = 0  // of those that were notified since then, or left out
    private var isWaiting = false  // for a confirmation

    /// The first is due at `begun`, or if that is in the past, at the next multiple of the interval.
    init(_ value: DeviceValue, rate: Double, from begun: Instant, at now: Instant) {
        (self.value, self.rate, self.begun) = (value, rate, begun)
        skip(to: now)
    }

    var due: Instant { isWaiting ? .never : instant(of: count) }

    private func instant(of index: Int64) -> Instant {
        begun.advanced(byNanoseconds: Int64(exactly: (Double(index) * 1e9 / rate).rounded(.down)) ?? .max)
    }

    /// A value was notified, or had none to send. After an indication the next waits for the confirmation, and is then
    /// sent as soon as the rate allows.
    mutating func didNotify(at now: Instant, awaitsConfirmation: Bool) {
        if awaitsConfirmation { (begun, count) = (now, 0) }
        count += 1
        isWaiting = awaitsConfirmation
    }

    mutating func stopWaiting() { isWaiting = false }

    /// Leaves out what was due in the past.
    mutating func skip(to now: Instant) {
        isWaiting = false
        guard instant(of: count) < now else { return }
        let passed = Double(begun.duration(to: now).inNanoseconds) * rate / 1e9
        count = Int64(exactly: passed.rounded(.down)) ?? .max
        while count < .max, instant(of: count) < now { count += 1 }
    }
}
