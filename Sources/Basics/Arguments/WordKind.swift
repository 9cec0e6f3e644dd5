/// What a word of a command line names.
///
/// A shell completes the word accordingly, and the names of installed scenarios are replaced with their paths.
package enum WordKind: Hashable, Sendable {
    /// Anything else.
    case text
    case file
    case folder
    /// A scenario file, or the name of an installed one.
    case scenario
    /// A scenario file, a suite file or a folder, or the name of an installed one.
    case suite
    /// One of several words.
    case words([String])

    /// The kind that a placeholder such as `FILE|-` or `N|random` suggests: its parts in lower case are words.
    init(placeholder: String) {
        let parts = placeholder.split(separator: "|").map(String.init)
        let words = parts.filter { $0.allSatisfy { $0.isLowercase } }
        if parts.contains(where: { $0.hasPrefix("FILE") || $0.hasPrefix("REPORT") }) {
            self = .file
        } else if parts.contains("DIR") {
            self = .folder
        } else {
            self = words.isEmpty ? .text : .words(words)
        }
    }
}

extension Grammar {
    /// The invocation with other words: `change` receives each operand, and each value of an option, with its kind.
    package func replacingWords<Failure>(
        of invocation: Invocation, with change: (WordKind, String) throws(Failure) -> String
    ) throws(Failure) -> Invocation {
        var result = invocation
        for (place, word) in invocation.operands.enumerated() {
            guard let operand = place < operands.count ? operands[place] : operands.last else { break }
            result.operands[place] = try change(operand.kind, word)
        }
        for option in options where option.value != nil {
            guard let words = invocation.values[option.name] else { continue }
            var changed: [String] = []
            for word in words { changed.append(try change(option.kind, word)) }
            result.values[option.name] = changed
        }
        return result
    }
}
