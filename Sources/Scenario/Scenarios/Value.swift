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
        return format == .octets ? Self.octets(of: text) : Array(text.utf8)
    }

    /// The octets of pairs of lower-case hexadecimal digits; nil for other text.
    package static func octets(of text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2), digits.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        return stride(from: 0, to: digits.count, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
        }
    }
}
