import TextFormatting

/// A program with several commands: `lubdub serve …`.
package struct Program: Sendable {
    /// The request of a command line.
    package enum Request: Sendable {
        /// There are no words: introduce the program.
        case introduction
        /// Print this text on standard output.
        case help(String)
        case version
        case run(command: String, Invocation)
    }

    let name: String
    let summary: String
    package let commands: [Grammar]

    /// A program whose help lists the commands in this order.
    package init(_ name: String, _ summary: String, commands: [Grammar]) {
        (self.name, self.summary, self.commands) = (name, summary, commands)
    }

    /// The names of the commands, in the order of the help.
    package var commandNames: [String] { commands.map(\.command) }

    /// The help of the program, with a row for each command, in lines of at most `width` characters.
    package func usage(width: Int) -> String {
        let intro = ["Usage: \(name) COMMAND [OPTION...] [OPERAND...]", "", summary, ""]
        let more = ["", "\(name) COMMAND --help describes a command; \(name) --version prints the version."]
        return (intro + table(commands.map { ($0.command, $0.summary) }, width: width) + more).joined(separator: "\n")
    }

    /// Parses the words after the program's name; throws at the first wrong one.  Help has lines of at most `width` characters.
    package func parse(_ words: some Sequence<String>, width: Int = 100) throws(UsageError) -> Request {
        var rest = Array(words)[...]
        guard let word = rest.popFirst() else { return .introduction }
        switch word {
        case "--help", "-h": return .help(usage(width: width))
        case "help":
            guard let topic = rest.popFirst() else { return .help(usage(width: width)) }
            return .help(try grammar(of: topic).usage(of: name, width: width))
        case "--version": return .version
        default:
            let grammar = try grammar(of: word)
            let invocation = try grammar.parse(rest, others: commands)
            return invocation.isHelpRequested
                ? .help(grammar.usage(of: name, width: width)) : .run(command: word, invocation)
        }
    }

    /// The grammar of a command; throws if there is none.
    package func grammar(of command: String) throws(UsageError) -> Grammar {
        guard let grammar = commands.first(where: { $0.command == command }) else {
            let (word, known) = (String(command.drop { $0 == "-" }), commands.map(\.command))
            throw known.contains(word)
                ? UsageError("unknown option \(command.quoted) (\(word) is a command: write it without hyphens)")
                : .unknown("command", command, known: known)
        }
        return grammar
    }
}
