package import Simulation

/// The time of a case that a client outside plays: how much of it there is, and whether the machine keeps up with it.
package struct CaseClock {
    /// So long the words of a client may be on their way.
    package static let grace = Duration.milliseconds(500)
    private static let interval = Duration.milliseconds(20)

    /// So long a person has at least to connect their client.
    package static let patience = Duration.seconds(60)

    /// When the case is over, in its own time.
    package private(set) var limit: Instant
    private var length: Duration?  // from when a person will have connected their client
    private var nextBeat = Instant.never

    /// Of a case of a length, which counts from the start, or from when a person has connected their client.
    package init(_ length: Duration, isHeld: Bool = false) {
        limit = .start.advanced(by: isHeld ? max(length, Self.patience) : length)
        self.length = isHeld ? length : nil
    }

    /// The person has connected their client; of consequence once.
    package mutating func release(at now: Instant) {
        guard let length else { return }
        limit = now.advanced(by: length)
        self.length = nil
    }

    /// When the next beat is to come, by the loop's time.
    package mutating func next(after now: Instant) -> Instant {
        if nextBeat == .never || nextBeat <= now { nextBeat = now.advanced(by: Self.interval) }
        return nextBeat
    }

    /// How late the beat is that should have come by now; said once.
    package mutating func standstill(at now: Instant) -> Duration? {
        guard nextBeat < now else { return nil }
        defer { nextBeat = now.advanced(by: Self.interval) }
        return nextBeat.duration(to: now)
    }
}
