import Basics

/// Escaping of text for XML and HTML.
enum Markup {
    /// The place of text in a document.
    enum Context {
        /// Between tags; line feeds are kept.
        case text
        /// Between double quotes.
        case attribute
    }

    /// Escapes text so that no part of it is markup.
    ///
    /// XML 1.0, section 2.2, forbids most control characters, even as references.  These, and other invisible characters
    /// and those that change the writing direction, become `\u{1B}`.
    static func escaped(_ text: String, in context: Context) -> String {
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n" where context == .text: result += "\n"
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

/// A piece of HTML.  Interpolated text is escaped; interpolated HTML is not.
struct HTML: ExpressibleByStringInterpolation {
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ words: String) { text += Markup.escaped(words, in: .attribute) }
        /// A name that may wrap after each slash and underscore.
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

    /// Trusted text that is already HTML.
    init(trusted text: String) { self.text = text }

    static let nothing: HTML = ""
}
