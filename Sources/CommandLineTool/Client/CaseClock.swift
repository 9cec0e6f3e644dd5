import HCI
import Simulation

/// The time of a case that a client outside plays: how much of it there is, and whether the machine keeps up with it.
struct CaseClock {
    /// So long the words of a client may be on their way.
    static let grace = Duration.milliseconds(500)
    private static let interval = Duration.milliseconds(20)

    /// When the case is over, in its own time.
    var limit: Instant
    private var nextBeat = Instant.never

    init(limit: Instant) { self.limit = limit }

    /// When the next beat is to come, by the loop's time.
    mutating func next(after now: Instant) -> Instant {
        if nextBeat == .never || nextBeat <= now { nextBeat = now.advanced(by: Self.interval) }
        return nextBeat
    }

    /// How late the beat is that should have come by now; said once.
    mutating func standstill(at now: Instant) -> Duration? {
        guard nextBeat < now else { return nil }
        defer { nextBeat = now.advanced(by: Self.interval) }
        return nextBeat.duration(to: now)
    }
}

extension H4Framer.Framed {
    /// Whether it is an HCI Reset: Core Specification, volume 4, part E, 7.3.2.
    var isReset: Bool {
        kind == .command && octets.count >= 2
            && Opcode(rawValue: UInt16(octets[0]) | UInt16(octets[1]) << 8) == .reset
    }
}
