extension String {
    /// The text if it has at most 256 octets, otherwise its first 100 scalars followed by `...`.
    public var abbreviated: String {
        utf8.count <= 256 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(100))) + "..."
    }

    /// The text as a JSON string on one line. Bidirectional controls are escaped too, because they would reorder the
    /// text that follows.
    public var quoted: String {
        // Most texts are ASCII without anything to escape.
        guard !utf8.allSatisfy({ 0x20..<0x7F ~= $0 && $0 != 0x22 && $0 != 0x5C }) else { return "\"\(self)\"" }
        let content = unicodeScalars.map { scalar in
            scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : scalar.isControl ? scalar.escaped : String(scalar)
        }
        return "\"\(content.joined())\""
    }

    /// The text on one line that no terminal takes for commands: control characters are escaped as in a JSON string.
    package var escapingControls: String {
        guard !utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return self }
        return unicodeScalars.map { $0.isControl ? $0.escaped : String($0) }.joined()
    }
}

extension Unicode.Scalar {
    /// Whether it controls the terminal, ends the line, or changes the direction of the text that follows.
    package var isControl: Bool {
        // The lookup in Unicode's tables takes a hundred times longer.
        if isASCII { return value < 0x20 || value == 0x7F }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }

    /// `\u` and four hexadecimal digits, or `\n`; every control has at most four.
    fileprivate var escaped: String { self == "\n" ? "\\n" : "\\u" + String(0x10000 + value, radix: 16).dropFirst() }
}

/// A JSON object with these keys, whose values are JSON already: `{"id": "a", "count": 2}`.
public func jsonObject(_ members: [(String, String)]) -> String {
    "{" + members.map { "\($0.0.quoted): \($0.1)" }.joined(separator: ", ") + "}"
}
