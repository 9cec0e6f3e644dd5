import Sensors
import ServiceFramework
import Simulation

/// Energy Expended as a curve, counted from the last reset.
struct EnergyCurve: Sendable {
    private var signal: Signal
    private let begin: Instant
    private var takenOff: Double = 0

    /// A curve from an instant on, with a reset at another, if that is later.
    init(_ signal: Signal, from begin: Instant, reset: Instant = .start) {
        (self.signal, self.begin) = (signal, begin)
        if reset > begin { self.reset(at: reset) }
    }

    /// Restarts from 0.
    mutating func reset(at now: Instant) { takenOff = value(at: now) }

    /// Kilojoules since the last reset; a curve that has stopped counts as 0.
    mutating func kilojoules(at now: Instant) -> Double { value(at: now) - takenOff }

    private mutating func value(at now: Instant) -> Double {
        signal.value(atNanoseconds: now.nanoseconds - begin.nanoseconds) ?? 0
    }
}
