public import Sensors

/// What a script gives to a part.
public enum Value: Hashable, Sendable {
    /// A number, or one that changes; `true` is 1 and `false` is 0.
    case curve(Curve)
    /// A string, for the parts that are text.
    case text(String)
}
