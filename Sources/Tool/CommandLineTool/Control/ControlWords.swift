import Arguments
import Documents
import Spelling

/// The words of `lubdub control` as a line for the socket.
enum ControlWords {
    /// Arguments that are written in digits, and are no numbers.
    private static let texts = ["octets", "with"]

    /// One word that is JSON is the line; `status` asks; and `DO [OF] [KEY=VALUE...]` is an action.
    ///
    /// A value that is JSON stands as it is, and any other is text; a blank between a number and its unit may be left
    /// out, as in `for=8s`.
    static func line(of words: [String]) throws(UsageError) -> String {
        guard let first = words.first else { throw UsageError("WORDS are missing") }
        if first.hasPrefix("{") {
            guard words.count == 1 else { throw UsageError("JSON has to be one word: put it between quotes") }
            return first.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
        if first.hasPrefix("[") || first.hasPrefix("\"") {
            throw UsageError("\(first.quoted) is no JSON object, as in '{\"ask\": \"status\"}'")
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
                throw UsageError("\(word.quoted) is not KEY=VALUE")
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
