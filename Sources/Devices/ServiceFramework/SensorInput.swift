package import Sensors
package import Simulation

/// A value that a script sets.
package enum SensorInput: Sendable {
    /// A number, constant or changing.
    case signal(Signal)
    /// A string or other octets.
    case octets([UInt8])

    package var octets: [UInt8]? { if case .octets(let octets) = self { octets } else { nil } }

    /// The first number of a signal; nil for octets.
    package var number: Double? {
        guard case .signal(var signal) = self else { return nil }
        return signal.value(atNanoseconds: 0)
    }
}

extension SensorInput? {
    /// A signal, nil for the end of one, or `.none` for octets.
    package var signal: Signal?? {
        switch self {
        case .signal(let signal): .some(signal)
        case nil: .some(nil)
        case .octets: nil
        }
    }

    /// Whether it is octets, or the end of an override.
    package var isTextOrEnd: Bool { if case .signal = self { false } else { true } }
}

extension Gauge {
    /// Overrides or restores the value by the wall clock, and forgets earlier ones.
    package mutating func set(_ signal: Signal?, at now: Instant, begun: Instant?, by clock: WallClock) {
        set(signal, at: clock.sensorTime(at: now), begun: begun.map { clock.sensorTime(at: $0) })
        forget(before: clock.sensorTime(at: now))
    }
}
