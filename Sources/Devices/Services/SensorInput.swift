public import Sensors
import Simulation

/// What a script gives to a value.
public enum SensorInput: Sendable {
    /// A number, or one that changes.
    case signal(Signal)
    /// Octets of a string, or of anything else that is not a number.
    case octets([UInt8])

    /// Nil for a signal.
    public var octets: [UInt8]? { if case .octets(let octets) = self { octets } else { nil } }

    /// The number with which a signal begins; nil for octets.
    public var number: Double? {
        guard case .signal(var signal) = self else { return nil }
        return signal.value(atNanoseconds: 0)
    }
}

extension SensorInput? {
    /// A signal, or nil for the end of one; `.none` for octets.
    var signal: Signal?? {
        switch self {
        case .signal(let signal): .some(signal)
        case nil: .some(nil)
        case .octets: nil
        }
    }

    /// Whether it is octets, or the end of them.
    var isTextOrEnd: Bool { if case .signal = self { false } else { true } }
}

extension Gauge {
    /// Sets or gives back by the wall clock, and forgets what was before.
    mutating func set(_ signal: Signal?, at now: Instant, begun: Instant?, by clock: WallClock) {
        set(signal, at: clock.sensorTime(at: now), begun: begun.map { clock.sensorTime(at: $0) })
        forget(before: clock.sensorTime(at: now))
    }
}
