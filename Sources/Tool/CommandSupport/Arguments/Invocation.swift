import Basics

/// A command line that matches a grammar.
package struct Invocation: Sendable {
    /// The operands in order.
    package internal(set) var operands: [String] = []
    var values: [String: [String]] = [:]
    let grammar: CommandGrammar

    init(of grammar: CommandGrammar) { self.grammar = grammar }

    /// Whether `--help` is given: then the command only prints its help.
    package var isHelpRequested: Bool { has("--help") }

    /// Whether a flag or option is given; `name` includes its dashes.
    package func has(_ name: String) -> Bool { values[name] != nil }

    /// The value of an option as typed; nil if the option is not given.
    package func text(_ name: String) -> String? { values[name]?.last }

    /// All values of a repeatable option as typed, in order.
    package func texts(_ name: String) -> [String] { values[name] ?? [] }

    /// The value of an option, converted by `read`; nil if the option is not given.
    ///
    /// Throws if `read` returns nil; `type` describes the allowed values, as in `a whole number from 1 to 64`.
    package func value<Value>(_ name: String, as type: String, _ read: (String) -> Value?) throws(UsageError) -> Value?
    {
        guard let text = text(name) else { return nil }
        guard let value = read(text) else { throw UsageError("\(name) must be \(type), not \(text.quoted)") }
        return value
    }

    /// The number of words that an error message lists.
    private static let maximumListed = 20

    /// The value of an option that takes one of several words; nil if the option is not given.
    package func choice(_ name: String, of words: [String]) throws(UsageError) -> String? {
        guard let text = text(name) else { return nil }
        guard words.contains(text) else {
            let hint = suggestion(for: text, among: words)
            guard words.count <= Self.maximumListed else {
                throw UsageError("\(name): unknown word \(text.quoted)" + hint)
            }
            throw UsageError("\(name) must be one of \(words.joined(separator: ", ")), not \(text.quoted)" + hint)
        }
        return text
    }

    /// The value of an option that takes a duration; nil if the option is not given.
    package func duration(_ name: String) throws(UsageError) -> Duration? {
        try value(name, as: "a duration such as \"5 s\"") { Duration(parsing: $0) }
    }
}
