public import Characteristics
public import Sensors

/// What a script gives to a value.
public enum Value: Hashable, Sendable {
    /// A number or a curve; `true` is 1 and `false` is 0.
    case curve(Curve)
    /// A string.
    case text(String)

    /// The string in a format; nil for a curve, and for octets that are not written as octets are.
    public func octets(as format: ValueFormat) -> [UInt8]? {
        guard case .text(let text) = self else { return nil }
        return format == .octets ? Units.octets(text) : Array(text.utf8)
    }
}
