/// A shell that completes the words of a command line.
package enum Shell: String, CaseIterable, Sendable {
    case bash
    case fish
    case zsh
}

/// The scripts that make shells complete commands, options, and the words and files that they take.
struct Completions {
    let program: Program
    /// The command that prints the names of installed scenarios, each followed by a NUL.
    let names: String

    var name: String { program.name }
    var commands: [CommandGrammar] { program.commands }

    /// The first comment of a script.
    func intro(_ shell: Shell) -> String {
        "# Completes \(name) in \(shell.rawValue); written by \"\(name) completions \(shell.rawValue)\"."
    }
}

extension Program {
    /// The script for a shell. `names` is the command that prints the names of installed scenarios, each
    /// followed by a NUL.
    package func completions(for shell: Shell, names: String) -> String {
        let completions = Completions(program: self, names: names)
        return switch shell {
        case .bash: completions.bash
        case .fish: completions.fish
        case .zsh: completions.zsh
        }
    }
}

extension CommandGrammar {
    /// The kind of the last operand, the only one that can be repeated; nil without operands.
    var operandKind: WordKind? { operands.last?.kind }
}

extension CommandGrammar.Option {
    /// The first line of the help.
    var title: String { String(help.prefix { $0 != "\n" }) }
}

extension String {
    /// A word between apostrophes; `apostrophe` is how the shell writes one in it.
    func quotedForShell(apostrophe: String = #"'\''"#) -> String {
        "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: apostrophe) + "'"
    }
}

extension [String] {
    /// The words on one line, quoted.
    var quotedForShell: String { joined(separator: " ").quotedForShell() }
}
