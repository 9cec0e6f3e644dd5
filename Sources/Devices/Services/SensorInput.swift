public import Sensors

/// What a script gives to a value.
public enum SensorInput: Sendable {
    /// A number that may change.
    case signal(Signal)
    /// Text, or whatever else has no number.
    case octets([UInt8])

    /// Nil for a number.
    public var octets: [UInt8]? { if case .octets(let octets) = self { octets } else { nil } }

    /// What a notification of it says when it is sent at once: its first number, or the octets.
    public var number: Double? {
        guard case .signal(var signal) = self else { return nil }
        return signal.value(atNanoseconds: 0)
    }
}
