import Basics

/// A line of output, safe for a terminal: control characters are escaped, whatever it is made of, and only styles add
/// control sequences.
package struct TerminalLine: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation {
    /// What is written, without a line feed.
    package let description: String

    /// A text in a style.
    package init(_ text: some StringProtocol, _ style: Paint.Style? = nil) {
        let text = String(text).escapingControls
        description = style.map { "\u{1B}[\($0.rawValue)m\(text)\u{1B}[0m" } ?? text
    }

    package init(stringLiteral text: String) { self.init(text) }

    package init(stringInterpolation: StringInterpolation) { description = stringInterpolation.text }

    package static func + (left: TerminalLine, right: TerminalLine) -> TerminalLine { "\(left)\(right)" }

    package static func += (line: inout TerminalLine, more: TerminalLine) { line = line + more }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate private(set) var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { text += literal.escapingControls }

        package mutating func appendInterpolation(_ line: TerminalLine) { text += line.description }

        package mutating func appendInterpolation(_ value: some Any) { text += "\(value)".escapingControls }
    }
}
