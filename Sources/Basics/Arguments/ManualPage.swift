/// A manual page: text for `man(1)`, in the macros of `man(7)`.
package struct ManualPage: Sendable {
    /// A section with a list of terms.
    package struct Section: Sendable {
        let title: String
        let rows: [(term: String, text: String)]

        package init(_ title: String, _ rows: [(term: String, text: String)]) {
            self.init(title, roff: rows.map { (Roff.bold($0.term), $0.text) })
        }

        /// `rows` have terms that are roff.
        fileprivate init(_ title: String, roff rows: [(term: String, text: String)]) {
            (self.title, self.rows) = (title, rows)
        }
    }

    private let name: String
    private let summary: String
    /// The words of the command line: literal ones in bold, placeholders in italics.
    private let synopsis: [String]
    private let sections: [Section]
    private let others: [String]

    private static let anyOption = "[\(Roff.italic("OPTION"))...]"

    /// The page of a program: its commands, these sections, and the commands' pages.
    package init(of program: Program, _ sections: [Section]) {
        name = program.name
        summary = program.summary
        synopsis = [Roff.bold(program.name), Roff.italic("COMMAND"), Self.anyOption, "[\(Roff.italic("OPERAND"))...]"]
        let commands = program.commands.map { (term: $0.command, text: $0.summary) }
        let help = [
            (term: "--help", text: "Print the commands, or after a command, its options"),
            (term: "--version", text: "Print the version"),
        ]
        self.sections = [Section("COMMANDS", commands), Section("OPTIONS", help)] + sections
        others = program.commands.map { "\(program.name)-\($0.command)" }
    }

    /// The page of a command: its operands, options and lists, and these sections.
    package init(of grammar: Grammar, in program: Program, _ sections: [Section]) {
        name = "\(program.name)-\(grammar.command)"
        summary = grammar.summary
        let required = grammar.options.filter(\.isRequired).map(\.term)
        let command = Roff.bold("\(program.name) \(grammar.command)")
        synopsis = [command] + required + [Self.anyOption] + grammar.operands.map { Roff.italic($0.label) }
        let operands = grammar.operands.map { (term: Roff.italic($0.name), text: $0.help) }
        let options = grammar.options.map { (term: $0.term, text: $0.help) }
        let own = [Section("OPERANDS", roff: operands), Section("OPTIONS", roff: options)]
        let lists = grammar.lists.map { list in
            Section(list.title.uppercased(), list.rows.map { (term: $0.name, text: $0.help) })
        }
        self.sections = own.filter { !$0.rows.isEmpty } + lists + sections
        others = [program.name]
    }

    /// The page as roff. Its last line has the program's name and version, and a day such as `2026-11-24`.
    package func text(version: String, date: String) -> String {
        let day = date.filter { $0.isASCII && $0.isNumber || $0 == "-" }  // mandoc reads no escaped hyphens here
        var lines = [".TH \(Roff.argument(name.uppercased())) 1 \"\(day)\" \(Roff.argument(version))"]
        lines += [".SH NAME", "\(Roff.escaped(name)) \\- \(Roff.escaped(summary))"]
        lines += [".SH SYNOPSIS", ".nh", ".ad l", synopsis.joined(separator: " "), ".ad", ".hy"]
        for section in sections {
            lines.append(".SH \(Roff.escaped(section.title))")
            for row in section.rows { lines += [".TP", row.term] + Roff.paragraph(row.text) }
        }
        let pages = others.map { "\(Roff.bold($0))(1)" }
        return (lines + [".SH SEE ALSO", pages.joined(separator: ",\n")]).joined(separator: "\n") + "\n"
    }
}

extension Grammar.Option {
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
