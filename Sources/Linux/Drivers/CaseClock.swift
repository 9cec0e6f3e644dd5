package import Simulation

/// The time of a case with a client outside: its limit, and how late this machine is.
package struct CaseClock {
    /// The tolerance for every deadline of client output.
    package static let grace = Duration.milliseconds(500)
    private static let interval = Duration.milliseconds(20)

    /// How long an operator has at least to connect their client.
    package static let connectionTime = Duration.seconds(60)

    /// The end of the case, in its own time.
    package private(set) var limit: Instant
    private var length: Duration?  // counted from when the operator has connected their client
    private var nextBeat = Instant.never

    /// A case of some length, counted from the start, or if `isHeld` from when the operator has connected their client.
    package init(_ length: Duration, isHeld: Bool = false) {
        limit = .start.advanced(by: isHeld ? max(length, Self.connectionTime) : length)
        self.length = isHeld ? length : nil
    }

    /// The operator has connected their client; has an effect once.
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

    /// How late the current beat is, once per beat; nil if it is not late.
    package mutating func standstill(at now: Instant) -> Duration? {
        guard nextBeat < now else { return nil }
        defer { nextBeat = now.advanced(by: Self.interval) }
        return nextBeat.duration(to: now)
    }
}
