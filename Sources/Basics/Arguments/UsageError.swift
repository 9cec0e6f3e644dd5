import Spelling

/// What is wrong with a command line, in one line for the person who typed it.
public struct UsageError: Error, Equatable, CustomStringConvertible {
    /// Names the word that is wrong and, when one is near, the word that was meant.
    public let description: String

    /// For what a grammar cannot know: options that exclude each other, a value that is out of range.
    public init(_ description: String) { self.description = description }

    /// For a word that is none of those known: names the nearest, or says that a later version has it.
    static func unknown(_ kind: String, _ word: String, known: [String], planned: [String]) -> UsageError {
        let hint = planned.contains(word) ? ": this version does not have it yet" : suggestion(for: word, among: known)
        return UsageError("unknown \(kind) \(word.quoted)\(hint)")
    }
}
