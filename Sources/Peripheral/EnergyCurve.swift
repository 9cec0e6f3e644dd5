import Sensors
import Simulation

/// Energy Expended by a curve, counted from its last reset.
struct EnergyCurve: Sendable {
    private var signal: Signal
    private let begin: Instant
    private var takenOff: Double = 0

    /// A curve that begins at an instant, and that was reset at another, if that is later.
    init(_ signal: Signal, from begin: Instant, reset: Instant = .start) {
        (self.signal, self.begin) = (signal, begin)
        if reset > begin { self.reset(at: reset) }
    }

    /// Counts from 0 again.
    mutating func reset(at now: Instant) { takenOff = value(at: now) }

    /// Kilojoules, rounded down; 65535 for all that is more, 0 for what is less and for a curve that has stopped.
    mutating func kilojoules(at now: Instant) -> UInt16 {
        let rest = value(at: now) - takenOff
        return rest > 0 ? UInt16(min(rest, 65535)) : 0  // NaN is 0 too
    }

    private mutating func value(at now: Instant) -> Double {
        signal.value(atNanoseconds: now.nanoseconds - begin.nanoseconds) ?? 0
    }
}
