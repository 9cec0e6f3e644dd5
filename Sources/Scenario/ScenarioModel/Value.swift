import Basics
package import Characteristics
package import Devices

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

    /// The octets of pairs of hexadecimal digits, with or without a space between the pairs: `063c`, `06 3C`; nil for
    /// other text.
    package static func octets(of text: String) -> [UInt8]? {
        var octets: [UInt8] = []
        var rest = text.utf8[...]
        while let first = rest.popFirst() {
            guard let high = digit(first), let low = rest.popFirst().flatMap(digit) else { return nil }
            octets.append(high << 4 | low)
            if rest.count > 1, rest.first == UInt8(ascii: " ") { rest.removeFirst() }
        }
        return octets
    }

    /// Octets as the event log spells them: `00 FF`.
    package static func spelling(of octets: [UInt8]) -> String {
        var text = JSONText()
        text.append(hex: octets[...], separator: " ")
        return text.string
    }

    private static func digit(_ octet: UInt8) -> UInt8? {
        Character(Unicode.Scalar(octet)).hexDigitValue.map { UInt8($0) }
    }
}
