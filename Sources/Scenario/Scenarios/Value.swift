public import Sensors

/// A value in a script.
public enum Value: Hashable, Sendable {
    /// A constant or changing number; `true` is 1 and `false` is 0.
    case curve(Curve)
    /// A string, for text values.
    case text(String)
}
