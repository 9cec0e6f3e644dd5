import Basics

/// The operands and options of a command; the help is generated from the same table that parses the command line.
package struct CommandGrammar: Sendable {
    /// A word that begins with `-`, with or without a value.
    package struct Option: Sendable {
        let name: String
        let value: String?
        let kind: WordKind
        let isRepeatable: Bool
        let isRequired: Bool
        let help: String

        /// A flag: `--quiet`. The name includes its dashes.
        package static func flag(_ name: String, _ help: String) -> Option {
            Option(name: name, value: nil, kind: .text, isRepeatable: false, isRequired: false, help: help)
        }

        /// An option with a value: `--seed 7` or `--seed=7`. `value` is its placeholder in the help, which suggests its
        /// kind unless `kind` is given: it must be given for a file, and for an address at which the command listens. If the
        /// option is given several times, the last value counts, unless it is `repeatable`. A `required` option is part of the
        /// usage line; the command checks that it is there.
        package static func option(
            _ name: String, _ value: String, of kind: WordKind? = nil, repeatable: Bool = false,
            required: Bool = false, _ help: String
        ) -> Option {
            Option(
                name: name, value: value, kind: kind ?? WordKind(placeholder: value), isRepeatable: repeatable,
                isRequired: required, help: help + (repeatable ? " (repeatable)" : ""))
        }

        var label: String { value.map { "\(name) \($0)" } ?? name }
    }

    /// A word that is not an option, identified by its position.
    package struct Operand: Sendable {
        let name: String
        let kind: WordKind
        let count: ClosedRange<Int>
        let help: String

        private init(_ name: String, _ kind: WordKind?, _ count: ClosedRange<Int>, _ help: String) {
            (self.name, self.kind) = (name, kind ?? WordKind(placeholder: name))
            (self.count, self.help) = (count, help)
        }

        /// A required operand: `SCENARIO`.
        package static func required(_ name: String, of kind: WordKind? = nil, _ help: String) -> Operand {
            Operand(name, kind, 1...1, help)
        }

        /// An optional operand: `[SCENARIO]`.
        package static func optional(_ name: String, of kind: WordKind? = nil, _ help: String) -> Operand {
            Operand(name, kind, 0...1, help)
        }

        /// One or more operands: `FILE...`. Only the last operand can be repeated.
        package static func repeated(_ name: String, of kind: WordKind? = nil, _ help: String) -> Operand {
            Operand(name, kind, 1...Int.max, help)
        }

        /// Any number of operands: `[ROW...]`. Only the last operand can be repeated.
        package static func anyNumber(_ name: String, of kind: WordKind? = nil, _ help: String) -> Operand {
            Operand(name, kind, 0...Int.max, help)
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

    /// Options of one subject, below a heading in the help and the manual page: "Your client".
    package struct Group: Sendable {
        let title: String
        let options: [Option]

        package init(_ title: String, _ options: [Option]) { (self.title, self.options) = (title, options) }
    }

    /// A list of other words, such as keys, which the help and the manual page of a command or topic show.
    package struct List: Sendable {
        package let title: String
        package let rows: [(name: String, help: String)]

        package init(_ title: String, _ rows: [(name: String, help: String)]) {
            (self.title, self.rows) = (title, rows)
        }
    }

    /// The name of the command: `serve`.
    package let command: String
    /// A short description for the list of commands.
    package let summary: String
    let operands: [Operand]
    /// At least one; the title is empty if the command has few options.
    let groups: [Group]
    let lists: [List]

    var options: [Option] { groups.flatMap(\.options) }

    private static let help = Option.flag("--help", "Print this help")

    /// A command. Optional operands come after required ones; `--help` is added to the options.
    package init(
        _ command: String, _ summary: String, operands: [Operand] = [], options: [Option] = [], lists: [List] = []
    ) { self.init(command, summary, operands: operands, groups: [Group("", options)], lists: lists) }

    /// A command with many options; the first group is also about its operands. `--help` is added to the last group.
    package init(
        _ command: String, _ summary: String, operands: [Operand] = [], groups: [Group], lists: [List] = []
    ) {
        (self.command, self.summary, self.operands, self.lists) = (command, summary, operands, lists)
        let last = groups.last ?? Group("", [])
        self.groups = groups.dropLast() + [Group(last.title, last.options + [Self.help])]
    }

    /// The words of a command line: `run [OPTION...] SUITE...`.
    package var synopsis: String {
        let required = options.filter(\.isRequired).map(\.label)
        return ([command] + required + ["[OPTION...]"] + operands.map(\.label)).joined(separator: " ")
    }

    /// The help in lines of at most `width` characters: usage, summary, a row for each operand and option, and the lists.
    ///
    /// Without `program`, the command is itself a program.
    package func usage(of program: String? = nil, width: Int) -> String {
        var tables = groups.map { List($0.title, $0.options.map { ($0.label, $0.help) }) }
        tables[0] = List(tables[0].title, operands.map { ($0.label, $0.help) } + tables[0].rows)
        return
            (["Usage: \(program.map { "\($0) " } ?? "")\(synopsis)", "", summary] + sections(tables, width: width)
            + lists.flatMap { sections([$0], width: width) }).joined(separator: "\n")
    }

    /// Parses the words after the command's name; throws at the first wrong one.
    ///
    /// Options and operands may be mixed; every word after `--`, and `-` alone, is an operand. Parsing stops at
    /// `--help`. `others` are the program's commands: the error for an unknown option names those that have it.
    package func parse(_ words: some Sequence<String>, others: [CommandGrammar] = []) throws(UsageError) -> Invocation {
        var (found, rest) = (Invocation(of: self), Array(words)[...])
        while let word = rest.popFirst() {
            if word == "--" {
                found.operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                found.operands.append(word)
                continue
            }
            try take(word == "-h" ? Self.help.name : word, from: &rest, into: &found, others)
            if found.isHelpRequested { return found }
        }
        try check(found.operands)
        return found
    }

    private func take(
        _ word: String, from rest: inout ArraySlice<String>, into found: inout Invocation, _ others: [CommandGrammar]
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = options.first(where: { $0.name == parts[0] }) else {
            let owners = others.filter { $0.options.contains { $0.name == parts[0] } }.map(\.command)
            guard let last = owners.last else { throw .unknown("option", parts[0], known: options.map(\.name)) }
            let list =
                owners.count > 1 ? "\(owners.dropLast().joined(separator: ", ")) and \(last) have" : "\(last) has"
            throw UsageError("\(command) has no option \(parts[0]); \(list) it")
        }
        switch (option.value, parts.dropFirst().first) {
        case (nil, nil): found.values[option.name] = [""]
        case (nil, _?): throw UsageError("\(option.name) takes no value")
        case (let name?, let value):
            // Scripts pass an empty word if a variable has no value.
            guard let value = value ?? rest.popFirst(), !value.isEmpty || !option.kind.isPlace else {
                throw UsageError("\(option.name) needs a value: \(name)")
            }
            found.values[option.name] = (option.isRepeatable ? found.values[option.name] ?? [] : []) + [value]
        }
    }

    private func check(_ words: [String]) throws(UsageError) {
        let needed = operands.filter { $0.count.lowerBound > 0 }
        guard words.count >= needed.count else {
            let missing = needed[words.count]
            let choices =
                if case .words(let words) = missing.kind { ": one of \(words.joined(separator: ", "))" } else { "" }
            throw UsageError("\(missing.name) is missing\(choices)")
        }
        let isOpen = operands.last.map { $0.count.upperBound > 1 } ?? false
        guard words.count <= operands.count || isOpen else {
            throw UsageError("unexpected operand \(words[operands.count].quoted)")
        }
        guard let empty = words.firstIndex(where: \.isEmpty), let last = operands.indices.last else { return }
        let operand = operands[min(empty, last)]
        if operand.kind.isPlace { throw UsageError("\(operand.name) must not be empty") }
    }
}

/// A blank line, a heading if there is a title, and the rows, for each list. The columns of all rows are aligned: they are
/// indented by two spaces and separated by two, in lines of at most `width` characters, but with at least 30 for the help.
func sections(_ lists: [CommandGrammar.List], width: Int) -> [String] {
    let first = lists.flatMap(\.rows).map(\.name.count).max() ?? 0
    let below = "\n" + String(repeating: " ", count: first + 4)
    return lists.flatMap { list in
        let rows = list.rows.map { row in
            "  \(row.name.padded(to: first))  "
                + row.help.wrapped(to: max(30, width - first - 4)).joined(separator: below)
        }
        return [""] + (list.title.isEmpty ? [] : ["\(list.title):", ""]) + rows
    }
}
