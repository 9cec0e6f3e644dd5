import Spelling

/// What one command understands; its help is made of the same table that it is parsed by.
public struct Grammar: Sendable {
    /// A word that begins with `-`, alone or with a value behind it.
    public struct Option: Sendable {
        let name: String
        let value: String?
        let isRepeatable: Bool
        let help: String

        /// One that is there or not: `--quiet`.  The name includes its dashes.
        public static func flag(_ name: String, _ help: String) -> Option {
            Option(name: name, value: nil, isRepeatable: false, help: help)
        }

        /// One that takes a value: `--seed 7` or `--seed=7`.  `value` stands for it in the help; of several the
        /// last counts, unless it is `repeatable`.
        public static func option(
            _ name: String, _ value: String, repeatable: Bool = false, _ help: String
        ) -> Option {
            Option(name: name, value: value, isRepeatable: repeatable, help: help)
        }

        var label: String { (value.map { "\(name) \($0)" } ?? name) + (isRepeatable ? " ..." : "") }
    }

    /// A word that is no option, by its place among the others.
    public struct Operand: Sendable {
        let name: String
        let count: ClosedRange<Int>
        let help: String

        /// One that must be there: `SCENARIO`.
        public static func required(_ name: String, _ help: String) -> Operand {
            Operand(name: name, count: 1...1, help: help)
        }

        /// One that may be left out: `[SCENARIO]`.
        public static func optional(_ name: String, _ help: String) -> Operand {
            Operand(name: name, count: 0...1, help: help)
        }

        /// One or more, up to the end of the line: `FILE...`.  Only the last operand can be one.
        public static func repeated(_ name: String, _ help: String) -> Operand {
            Operand(name: name, count: 1...Int.max, help: help)
        }

        /// None, one or more, up to the end of the line: `[ROW...]`.  Only the last operand can be one.
        public static func anyNumber(_ name: String, _ help: String) -> Operand {
            Operand(name: name, count: 0...Int.max, help: help)
        }

        var label: String {
            switch (count.lowerBound, count.upperBound) {
            case (0, 1): "[\(name)]"
            case (0, _): "[\(name)...]"
            case (_, 1): name
            default: "\(name)..."
            }
        }
    }

    /// The word that chooses it: `serve`.
    public let command: String
    /// What it is for, in a few words that stand beside it in the list of commands.
    public let summary: String
    let operands: [Operand]
    let options: [Option]

    private static let help = Option.flag("--help", "show this help")

    /// Operands come in this order, optional ones behind required ones; each option may be left out.
    /// `--help` is understood without being named.
    public init(_ command: String, _ summary: String, operands: [Operand] = [], options: [Option] = []) {
        (self.command, self.summary) = (command, summary)
        (self.operands, self.options) = (operands, options + [Self.help])
    }

    /// The help: how it is called, what it is for, and a line for each operand and option.
    func usage(of program: String) -> String {
        let words = [program, command, "[OPTION...]"] + operands.map(\.label)
        let rows = operands.map { ($0.label, $0.help) } + options.map { ($0.label, $0.help) }
        return (["Usage: " + words.joined(separator: " "), "", summary, ""] + table(rows)).joined(separator: "\n")
    }

    /// Sorts the words behind the command's name into operands and options; throws at the first that does not fit.
    ///
    /// Options may stand anywhere; behind `--` everything is an operand, and `-` alone always is.  `--help` wins
    /// over whatever is behind it or missing.  `planned` are options of a later version.
    public func parse(_ words: some Sequence<String>, planned: [String] = []) throws(UsageError) -> Invocation {
        var (found, rest) = (Invocation(), Array(words)[...])
        while let word = rest.popFirst() {
            if word == "--" {
                found.operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                found.operands.append(word)
                continue
            }
            try take(word == "-h" ? Self.help.name : word, from: &rest, into: &found, planned)
            if found.wantsHelp { return found }
        }
        try check(found.operands)
        return found
    }

    private func take(
        _ word: String, from rest: inout ArraySlice<String>, into found: inout Invocation, _ planned: [String]
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = options.first(where: { $0.name == parts[0] }) else {
            throw .unknown("option", parts[0], known: options.map(\.name), planned: planned)
        }
        switch (option.value, parts.dropFirst().first) {
        case (nil, nil): found.values[option.name] = [""]
        case (nil, _?): throw UsageError("\(option.name) takes no value")
        case (let name?, let value):
            guard let value = value ?? rest.popFirst() else {
                throw UsageError("\(option.name) needs a value: \(name)")
            }
            found.values[option.name] = (option.isRepeatable ? found.values[option.name] ?? [] : []) + [value]
        }
    }

    private func check(_ words: [String]) throws(UsageError) {
        let needed = operands.filter { $0.count.lowerBound > 0 }
        guard words.count >= needed.count else { throw UsageError("\(needed[words.count].name) is missing") }
        let isOpen = operands.last.map { $0.count.upperBound > 1 } ?? false
        guard words.count <= operands.count || isOpen else {
            throw UsageError("\(words[operands.count].quoted) is one operand too many")
        }
    }
}

/// Two columns, two blanks from the margin and two between them; further lines of a help stand below its first.
func table(_ rows: [(name: String, help: String)]) -> [String] {
    let width = rows.map(\.name.count).max() ?? 0
    let below = "\n" + String(repeating: " ", count: width + 4)
    return rows.map { row in
        "  \(row.name.filled(to: width))  " + row.help.split(separator: "\n").joined(separator: below)
    }
}
