import HCI
import Simulation

/// The time of a case that a client outside plays: how much of it there is, and whether the machine keeps up with it.
struct CaseClock {
    /// So long the words of a client may be on their way.
    static let grace = Duration.milliseconds(500)
    private static let interval = Duration.milliseconds(20)

    /// So long a person has at least to connect their client.
    static let patience = Duration.seconds(60)

    /// When the case is over, in its own time.
    private(set) var limit: Instant
    private var length: Duration?  // from when a person will have connected their client
    private var nextBeat = Instant.never

    /// Of a case of a length, which counts from the start, or from when a person has connected their client.
    init(_ length: Duration, isHeld: Bool = false) {
        limit = .start.advanced(by: isHeld ? max(length, Self.patience) : length)
        self.length = isHeld ? length : nil
    }

    /// The person has connected their client; of consequence once.
    mutating func release(at now: Instant) {
        guard let length else { return }
        limit = now.advanced(by: length)
        self.length = nil
    }

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
        kind == .command && Opcode(ofCommand: octets) == Command.reset.opcode
    }
}
