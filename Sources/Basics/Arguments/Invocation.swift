import Spelling

/// A command line that a grammar has accepted.
public struct Invocation: Sendable {
    /// As many as the grammar allows, in the order of the line.
    public internal(set) var operands: [String] = []
    var values: [String: [String]] = [:]

    init() {}

    /// Whether `--help` is there: then nothing else is to be done than to show it.
    var wantsHelp: Bool { has("--help") }

    /// Whether the flag or option, named with its dashes, is there.
    public func has(_ name: String) -> Bool { values[name] != nil }

    /// The value of an option as it was typed, or nil when the option is not there.
    public func text(_ name: String) -> String? { values[name]?.last }

    /// All values of a repeatable option as they were typed, in the order of the line.
    public func texts(_ name: String) -> [String] { values[name] ?? [] }

    /// The value of an option as `read` understands it, or nil when the option is not there.
    ///
    /// Throws if `read` gives nil; `type` says in words what it would have taken.
    public func value<Value>(_ name: String, as type: String, _ read: (String) -> Value?) throws(UsageError) -> Value? {
        guard let text = text(name) else { return nil }
        guard let value = read(text) else { throw UsageError("\(name) must be \(type), and is \(text.quoted)") }
        return value
    }

    /// The value of an option that takes one of a few words, or nil when the option is not there.
    public func choice(_ name: String, of words: [String]) throws(UsageError) -> String? {
        guard let text = text(name) else { return nil }
        guard words.contains(text) else {
            let type = words.joined(separator: ", ")
            throw UsageError(
                "\(name) must be one of \(type), and is \(text.quoted)" + suggestion(for: text, among: words))
        }
        return text
    }

    /// The value of an option that takes a length of time, or nil when the option is not there.
    public func duration(_ name: String) throws(UsageError) -> Duration? {
        try value(name, as: "a duration such as \"5 s\"") { Duration(spelled: $0) }
    }
}
