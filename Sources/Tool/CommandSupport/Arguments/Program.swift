import Basics

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

    /// Commands of one purpose, below a heading in the help: "Try it".
    package struct Group: Sendable {
        package let title: String
        package let commands: [CommandGrammar]

        package init(_ title: String, _ commands: [CommandGrammar]) { (self.title, self.commands) = (title, commands) }
    }

    let name: String
    /// One sentence.
    package let summary: String
    /// The sentences after it.
    let details: String
    package let groups: [Group]
    package let topics: [HelpTopic]

    package var commands: [CommandGrammar] { groups.flatMap(\.commands) }

    /// A program whose help lists the commands in this order.
    package init(_ name: String, _ summary: String, _ details: String, groups: [Group], topics: [HelpTopic] = []) {
        (self.name, self.summary, self.details) = (name, summary, details)
        (self.groups, self.topics) = (groups, topics)
    }

    /// The names of the commands, in the order of the help.
    package var commandNames: [String] { commands.map(\.command) }

    /// The words that follow `help`.
    var helpNames: [String] { commandNames + topics.map(\.name) }

    /// All sentences about the program.
    var description: String { "\(summary) \(details)" }

    /// The help of the program, with a row for each command, in lines of at most `width` characters.
    package func usage(width: Int) -> String {
        var lists = groups.map { group in
            CommandGrammar.List(group.title, group.commands.map { ($0.command, $0.summary) })
        }
        if !topics.isEmpty { lists.append(.init("Topics", topics.map { ("help \($0.name)", $0.summary) })) }
        let intro = ["Usage: \(name) COMMAND [OPTION...] [OPERAND...]", ""] + description.wrapped(to: width)
        let more = ["", "\(name) COMMAND --help describes a command; \(name) --version prints the version."]
        return (intro + sections(lists, width: width) + more).joined(separator: "\n")
    }

    /// Parses the words after the program's name; throws at the first wrong one.  Help has lines of at most `width` characters.
    package func parse(_ words: some Sequence<String>, width: Int = 100) throws(UsageError) -> Request {
        var rest = Array(words)[...]
        guard let word = rest.popFirst() else { return .introduction }
        switch word {
        case "--help", "-h": return .help(usage(width: width))
        case "help":
            guard let topic = rest.popFirst() else { return .help(usage(width: width)) }
            return .help(try help(on: topic, width: width))
        case "--version": return .version
        default:
            let grammar = try grammar(of: word)
            let invocation = try grammar.parse(rest, others: commands)
            return invocation.isHelpRequested
                ? .help(grammar.usage(of: name, width: width)) : .run(command: word, invocation)
        }
    }

    /// The help of a command or topic; throws if there is none.
    private func help(on word: String, width: Int) throws(UsageError) -> String {
        if let topic = topics.first(where: { $0.name == word }) { return topic.usage(width: width) }
        return try grammar(of: word, amid: helpNames).usage(of: name, width: width)
    }

    /// The grammar of a command; throws if there is none.
    package func grammar(of command: String) throws(UsageError) -> CommandGrammar {
        try grammar(of: command, amid: commandNames)
    }

    /// `known` are the words that an error suggests.
    private func grammar(of command: String, amid known: [String]) throws(UsageError) -> CommandGrammar {
        guard let grammar = commands.first(where: { $0.command == command }) else {
            let word = String(command.drop { $0 == "-" })
            throw commandNames.contains(word)
                ? UsageError("unknown option \(command.quoted) (\(word) is a command: write it without hyphens)")
                : .unknown("command", command, known: known)
        }
        return grammar
    }
}
