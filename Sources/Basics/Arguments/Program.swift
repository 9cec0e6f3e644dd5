import Spelling

/// A program of several commands: `lubdub serve …`.
public struct Program: Sendable {
    /// What a command line asks for.
    public enum Request: Sendable {
        /// Print this text on standard output, and be done.
        case help(String)
        /// Print the version, and be done.
        case version
        /// Do what the command of this name is for.
        case run(command: String, Invocation)
    }

    private let name: String
    private let summary: String
    private let commands: [Grammar]
    private let planned: [String]

    /// The help lists the commands in this order; `planned` are the commands and options of a later version: they are
    /// refused by a message that says so, instead of one that guesses what was meant.
    public init(_ name: String, _ summary: String, commands: [Grammar], planned: [String] = []) {
        (self.name, self.summary, self.commands, self.planned) = (name, summary, commands, planned)
    }

    /// The help of the whole program: a line for each command.
    public var usage: String {
        let intro = ["Usage: \(name) COMMAND [OPTION...]", "", summary, ""]
        let more = ["", "\(name) COMMAND --help says more about one of them; \(name) --version prints its version."]
        return (intro + table(commands.map { ($0.command, $0.summary) }) + more).joined(separator: "\n")
    }

    /// Sorts the words behind the program's name; throws at the first that does not fit.
    public func parse(_ words: some Sequence<String>) throws(UsageError) -> Request {
        var rest = Array(words)[...]
        guard let word = rest.popFirst() else {
            throw UsageError("a command is missing; \(name) --help lists them")
        }
        switch word {
        case "--help", "-h": return .help(usage)
        case "help":
            guard let topic = rest.popFirst() else { return .help(usage) }
            return .help(try grammar(of: topic).usage(of: name))
        case "--version": return .version
        default:
            let grammar = try grammar(of: word)
            let invocation = try grammar.parse(rest, planned: planned)
            return invocation.wantsHelp ? .help(grammar.usage(of: name)) : .run(command: word, invocation)
        }
    }

    private func grammar(of command: String) throws(UsageError) -> Grammar {
        guard let grammar = commands.first(where: { $0.command == command }) else {
            throw .unknown("command", command, known: commands.map(\.command), planned: planned)
        }
        return grammar
    }
}
