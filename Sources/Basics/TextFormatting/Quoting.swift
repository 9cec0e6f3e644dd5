extension String {
    /// The text if it has at most 256 octets, otherwise its first 100 scalars followed by `...`.
    public var abbreviated: String {
        utf8.count <= 256 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(100))) + "..."
    }

    /// The text as a JSON string on one line. Bidirectional controls are escaped too, because they would reorder the
    /// text that follows.
    public var quoted: String {
        let content = unicodeScalars.map { scalar in
            switch (scalar, scalar.properties.generalCategory) {
            case ("\"", _), ("\\", _): "\\\(scalar)"
            case ("\n", _): "\\n"
            case (_, .control), (_, .lineSeparator), (_, .paragraphSeparator):
                scalar.escaped
            default: scalar.properties.isBidiControl ? scalar.escaped : String(scalar)
            }
        }
        return "\"\(content.joined())\""
    }
}

extension Unicode.Scalar {
    /// `\u` and four hexadecimal digits; every scalar that needs escaping has at most four.
    fileprivate var escaped: String { "\\u" + String(0x10000 + value, radix: 16).dropFirst() }
}
