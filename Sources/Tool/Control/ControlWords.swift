package import Arguments
import Documents
import TextFormatting

/// Converts the words of `lubdub control` into a line for the socket.
package enum ControlWords {
    /// Arguments that look like numbers but are text.
    private static let texts = ["octets", "with"]

    /// A single JSON word is the line itself, `status` is a query, and `DO [OF] [KEY=VALUE...]` is an action.
    ///
    /// A value is JSON or else text; the space between a number and its unit is optional, as in `for=8s`.
    package static func line(of words: [String]) throws(UsageError) -> String {
        guard let first = words.first else { throw UsageError("WORD is missing") }
        if first.hasPrefix("{") {
            guard words.count == 1 else { throw UsageError("JSON must be a single word: put it in quotes") }
            return first.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
        if first.hasPrefix("[") || first.hasPrefix("\"") {
            throw UsageError("expected a JSON object such as '{\"ask\": \"status\"}', got \(first.quoted)")
        }
        if words == ["status"] { return #"{"ask": "status"}"# }
        var members = [("do", Node(.string(first)))]
        for (index, word) in words.enumerated().dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2, !parts[0].isEmpty {
                members.append((parts[0], value(parts[1], of: parts[0])))
            } else if index == 1 {
                members.append(("of", Node(.string(word))))
            } else {
                throw UsageError("expected KEY=VALUE, got \(word.quoted)")
            }
        }
        return Node.object(members).json
    }

    private static func value(_ text: String, of key: String) -> Node {
        if !texts.contains(key), let node = try? Node(json: Array(text.utf8), file: "") { return node }
        let number = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unit = text.dropFirst(number.count)
        let isQuantity = !number.isEmpty && ["us", "ms", "s", "min", "h", "day", "days", "m", "Hz"].contains(unit)
        return Node(.string(isQuantity ? "\(number) \(unit)" : text))
    }
}
