/// A manual page: text for `man(1)`, in the macros of `man(7)`.
package struct ManualPage: Sendable {
    /// A section with text, a list of terms, or both.
    package struct Section: Sendable {
        let title: String
        let text: String
        let rows: [(term: String, text: String)]
        /// Whether it is a part of the section before it.
        let isPart: Bool

        package init(_ title: String, _ rows: [(term: String, text: String)]) {
            self.init(title, roff: rows.map { (Roff.bold($0.term), $0.text) })
        }

        package init(_ title: String, text: String) { self.init(title, text: text, roff: []) }

        /// `rows` have terms that are roff.
        fileprivate init(
            _ title: String, text: String = "", roff rows: [(term: String, text: String)], isPart: Bool = false
        ) { (self.title, self.text, self.rows, self.isPart) = (title, text, rows, isPart) }

        /// A section with a part for each group, or with the rows of a single group without a title.
        fileprivate static func named(
            _ title: String, _ groups: [(title: String, rows: [(term: String, text: String)])]
        ) -> [Section] {
            if groups.count == 1, groups[0].title.isEmpty { return [Section(title, roff: groups[0].rows)] }
            return [Section(title, text: "")] + groups.map { Section($0.title, roff: $0.rows, isPart: true) }
        }

        /// A list of a command or topic.
        fileprivate init(_ list: CommandGrammar.List) {
            self.init(list.title.uppercased(), list.rows.map { (term: $0.name, text: $0.help) })
        }

        /// The lines of the page.
        fileprivate var lines: [String] {
            [".\(isPart ? "SS" : "SH") \(Roff.escaped(title))"] + (text.isEmpty ? [] : Roff.paragraph(text))
                + rows.flatMap { row in [".TP", row.term] + Roff.paragraph(row.text) }
        }
    }

    private let name: String
    private let summary: String
    /// The words of the command line: literal ones in bold, placeholders in italics.
    private let synopsis: [String]
    private let sections: [Section]
    private let others: [String]

    private static let anyOption = "[\(Roff.italic("OPTION"))...]"

    /// The page of a program: its commands and topics, these sections, and the commands' pages.
    package init(of program: Program, _ sections: [Section]) {
        name = program.name
        // The line "lubdub - tests …" of man -k.
        let words = program.summary.prefix { $0 != "." }.split(separator: " ")
        summary = words.drop { $0.lowercased() == program.name }.joined(separator: " ")
        synopsis = [Roff.bold(program.name), Roff.italic("COMMAND"), Self.anyOption, "[\(Roff.italic("OPERAND"))...]"]
        let commands = program.groups.map { group in
            (title: group.title, rows: group.commands.map { (term: Roff.bold($0.command), text: $0.summary) })
        }
        let help = [
            (term: "--help", text: "Print the commands and the topics, or after a command, its options"),
            (term: "--version", text: "Print the version"),
        ]
        let topics = program.topics.flatMap(\.lists).map(Section.init)
        self.sections =
            [Section("DESCRIPTION", text: program.description)] + Section.named("COMMANDS", commands)
            + [Section("OPTIONS", help)] + topics + sections
        others = program.commands.map { "\(program.name)-\($0.command)" }
    }

    /// The page of a command: its operands, options and lists, and these sections.
    package init(of grammar: CommandGrammar, in program: Program, _ sections: [Section]) {
        name = "\(program.name)-\(grammar.command)"
        summary = grammar.summary
        let required = grammar.options.filter(\.isRequired).map(\.term)
        let command = Roff.bold("\(program.name) \(grammar.command)")
        synopsis = [command] + required + [Self.anyOption] + grammar.operands.map { Roff.italic($0.label) }
        let operands = grammar.operands.map { (term: Roff.italic($0.name), text: $0.help) }
        let options = grammar.groups.map { group in
            (title: group.title, rows: group.options.map { (term: $0.term, text: $0.help) })
        }
        self.sections =
            (operands.isEmpty ? [] : [Section("OPERANDS", roff: operands)]) + Section.named("OPTIONS", options)
            + grammar.lists.map(Section.init) + sections
        others = [program.name]
    }

    /// The page as roff. Its last line has the program's name and version, and a day such as `2026-11-24`.
    package func text(version: String, date: String) -> String {
        let day = date.filter { $0.isASCII && $0.isNumber || $0 == "-" }  // mandoc reads no escaped hyphens here
        var lines = [".TH \(Roff.argument(name.uppercased())) 1 \"\(day)\" \(Roff.argument(version))"]
        lines += [".SH NAME", "\(Roff.escaped(name)) \\- \(Roff.escaped(summary))"]
        lines += [".SH SYNOPSIS", ".nh", ".ad l", synopsis.joined(separator: " "), ".ad", ".hy"]
        for section in sections { lines += section.lines }
        let pages = others.map { "\(Roff.bold($0))(1)" }
        return (lines + [".SH SEE ALSO", pages.joined(separator: ",\n")]).joined(separator: "\n") + "\n"
    }
}

extension CommandGrammar.Option {
    /// The option and the placeholder of its value, in roff.
    fileprivate var term: String { value.map { "\(Roff.bold(name)) \(Roff.italic($0))" } ?? Roff.bold(name) }
}

/// Text in the syntax of `groff(7)` and `mandoc(1)`.
enum Roff {
    static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

    /// An argument of a macro.
    static func argument(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Text in which nothing is a command, and a hyphen is one that can be copied into a shell.
    static func escaped(_ text: String) -> String {
        let characters = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "\"": "\\(dq"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case "\n": " "
            default: scalar.isASCII ? String(scalar) : named(scalar)
            }
        }
        return (text.hasPrefix(".") ? "\\&" : "") + characters.joined()
    }

    /// `\[u20AC]`
    private static func named(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
    }

    /// The lines of a help text: lines that have columns keep their breaks, the others are filled.
    static func paragraph(_ text: String) -> [String] {
        var lines: [String] = []
        var isTable = false
        for line in text.split(separator: "\n").map(String.init) {
            let hasColumns = line.contains("  ")
            if hasColumns != isTable { lines += hasColumns ? [".RS", ".nf"] : [".fi", ".RE"] }
            isTable = hasColumns
            lines.append(escaped(line))
        }
        return lines + (isTable ? [".fi", ".RE"] : [])
    }
}
