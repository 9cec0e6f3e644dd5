import Spelling

/// Text as it stands in XML and HTML.
enum Markup {
    /// Where text stands.
    enum Place {
        /// Between tags, where line feeds stay.
        case text
        /// Between double quotes.
        case attribute
    }

    /// What was written elsewhere, so that nothing in it is markup.
    ///
    /// XML 1.0, section 2.2: most control characters cannot stand in a document, not even as references; they and the others
    /// that nobody sees, or that turn the direction of writing, are written `\u{1B}`.
    static func escaped(_ text: String, in place: Place) -> String {
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n" where place == .text: result += "\n"
            case "\n", "\t": result += "&#\(scalar.value);"
            case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{FFFE}"..."\u{FFFF}":
                result += "\\u{\(scalar.value.zeroPadded(to: 2, radix: 16))}"
            case _ where scalar.properties.isBidiControl:
                result += "\\u{\(scalar.value.zeroPadded(to: 2, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isPlain(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""): false
        default: 0x20..<0x7F ~= octet
        }
    }
}

/// A piece of HTML.  What is interpolated is text, and escaped, unless it is HTML itself.
struct HTML: ExpressibleByStringInterpolation {
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ words: String) { text += Markup.escaped(words, in: .attribute) }
        /// A name that may be broken behind each of its slashes and low lines.
        mutating func appendInterpolation(breakable name: String) {
            for letter in Markup.escaped(name, in: .attribute) {
                text.append(letter)
                if letter == "/" || letter == "_" { text += "<wbr>" }
            }
        }
        mutating func appendInterpolation(_ number: Int) { text += "\(number)" }
        mutating func appendInterpolation(_ html: HTML) { text += html.text }
        mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { text += piece.text } }
    }

    private(set) var text: String

    static func + (left: HTML, right: HTML) -> HTML { "\(left)\(right)" }

    init(stringLiteral text: String) { self.text = text }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// What is ours, and HTML already.
    init(own text: String) { self.text = text }

    static let nothing: HTML = ""
}
