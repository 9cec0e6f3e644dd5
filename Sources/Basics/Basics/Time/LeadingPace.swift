/// The pace of an ``EventLoop`` whose virtual time follows the machine's clock, at a factor.
///
/// It only waits: what happens, and when in virtual time, does not depend on it.
struct LeadingPace {
    /// Time that was lost by more than this, for example while a client started, is not caught up.
    static let maximumLag = Duration.milliseconds(100)

    private let factor: Double
    private var origin = (machine: Duration.zero, loop: Instant.start)

    /// Loop time is `factor` times as fast as the machine's clock.
    init(factor: Double) { self.factor = factor }

    /// How long to wait before the loop's time is set to `next`, when the loop has existed for `machine` of the clock's time.
    mutating func wait(before next: Instant, at machine: Duration) -> Duration {
        let due = origin.machine + origin.loop.duration(to: next) / factor
        if machine - due > Self.maximumLag { origin = (machine, next) }
        return max(.zero, due - machine)
    }
}
