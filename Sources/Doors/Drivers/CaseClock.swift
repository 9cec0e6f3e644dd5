package import Basics

/// The time of a case with an external client: its limit, and the lag of this machine.
package struct CaseClock {
    private static let interval = Duration.milliseconds(20)

    /// The minimum time for an operator to connect their client.
    package static let connectionTime = Duration.seconds(60)

    /// The end of the case, in its own time.
    package private(set) var limit: Instant
    private var length: Duration?  // counted from when the operator has connected their client
    private var nextBeat = Instant.never

    /// A case of this length, counted from the start, or if `isHeld` from when the operator has connected their client.
    package init(_ length: Duration, isHeld: Bool = false) {
        limit = .start.advanced(by: isHeld ? max(length, Self.connectionTime) : length)
        self.length = isHeld ? length : nil
    }

    /// The operator has connected their client; only the first call has an effect.
    package mutating func release(at now: Instant) {
        guard let length else { return }
        limit = now.advanced(by: length)
        self.length = nil
    }

    /// The loop's time of the next beat.
    package mutating func next(after now: Instant) -> Instant {
        if nextBeat == .never || nextBeat <= now { nextBeat = now.advanced(by: Self.interval) }
        return nextBeat
    }

    /// The lag of the current beat, once per beat; nil without lag.
    package mutating func stall(at now: Instant) -> Duration? {
        guard nextBeat < now else { return nil }
        defer { nextBeat = now.advanced(by: Self.interval) }
        return nextBeat.duration(to: now)
    }
}
