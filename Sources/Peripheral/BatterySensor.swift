import Sensors
import Simulation

/// What stands behind a Battery Service: a level, and which one was notified last.
struct BatterySensor: Sendable {
    /// How often it is looked at for who listens.
    let period: Duration
    private var gauge: Gauge
    private var told: UInt8?

    init(_ definition: PeripheralDefinition.Battery) {
        (gauge, period) = (Gauge(definition.level), definition.period)
    }

    /// Percent, rounded; what is outside of 0 to 100 is moved to the nearer end.
    mutating func level(at now: Instant) -> UInt8 {
        let level = gauge.value(at: now) ?? 0
        return level > 0 ? UInt8(min(level, 100).rounded()) : 0  // NaN is 0 too
    }

    /// The level, if it is not the one that was notified last or that it had at `begin`.
    mutating func change(at now: Instant) -> UInt8? {
        let level = level(at: now)
        guard level != told else { return nil }
        told = level
        return level
    }

    /// Somebody listens from now on: told of changes from the present level.
    mutating func begin(at now: Instant) { told = level(at: now) }

    /// The present level, which now counts as notified.
    mutating func tell(at now: Instant) -> UInt8 {
        let level = level(at: now)
        told = level
        return level
    }

    /// Takes the level over from its curve, or gives it back when `signal` is nil.
    mutating func set(_ signal: Signal?, at now: Instant, begun: Instant?) {
        gauge.set(signal, at: now, begun: begun)
        gauge.forget(before: now)
    }
}
