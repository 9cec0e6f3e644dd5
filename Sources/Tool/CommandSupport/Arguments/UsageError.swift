package import Basics

/// A wrong command line, described in one line for the user.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    /// Names the wrong word and suggests a similar one if there is one.
    package let description: String

    /// An error that a grammar cannot detect: conflicting options, or a value out of range.
    package init(_ description: String) { self.description = description }

    /// An unknown word; suggests the most similar of the `known` ones.
    static func unknown(_ kind: String, _ word: String, known: [String]) -> UsageError {
        UsageError("unknown \(kind) \(word.quoted)\(suggestion(for: word, among: known))")
    }
}

extension UsageError: CodedError {
    package var exitCode: ExitCode? { .usage }
}
