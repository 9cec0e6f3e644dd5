package import Characteristics
package import Sensors

/// A value in a script.
package enum Value: Hashable, Sendable {
    /// A constant or changing number; `true` is 1 and `false` is 0.
    case curve(Curve)
    case text(String)

    /// The string in a format; nil for a curve, and for octets that are not written as octets are.
    package func octets(as format: ValueFormat) -> [UInt8]? {
        guard case .text(let text) = self else { return nil }
        return format == .octets ? Units.octets(text) : Array(text.utf8)
    }
}
