extension Completions {
    var fish: String {
        let first = "complete -c \(name) -n __fish_use_subcommand"
        var lines = [
            intro(.fish), "", folders, "", "complete -c \(name) -f", "\(first) -l help -d 'List the commands'",
            "\(first) -l version -d 'Print the version'", "\(first) -a help -d 'Print the help of a command'",
            "\(after("help")) -x -a \(program.helpNames.quotedForShell)",
        ]
        lines += commands.map { "\(first) -a \($0.command) -d \(fish($0.summary))" }
        for grammar in commands {
            for option in grammar.options {
                let isLong = option.name.hasPrefix("--")
                let name = isLong ? "-l \(option.name.dropFirst(2))" : "-s \(option.name.dropFirst())"
                let value = option.value == nil ? "" : " -r \(fish(option.kind))"
                lines.append("\(after(grammar.command)) \(name)\(value) -d \(fish(option.title))")
            }
            if let kind = grammar.operandKind { lines.append("\(after(grammar.command)) \(fish(kind))") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A function that prints the folders that complete a word, each with a NUL: fish's own prints lines. That one is for
    /// words such as `~/x`.
    private var folders: String {
        #"""
        function __\#(name)_folders
            set -l word (commandline -ct | string unescape)
            set -l found "$word"*/
            if set -q found[1]; and not string match -q '~*' -- "$word"
                printf '%s\0' $found
            else
                __fish_complete_directories | string join0
            end
        end
        """#
    }

    /// The beginning of a line about the words after a command.
    private func after(_ command: String) -> String {
        "complete -c \(name) -n '__fish_seen_subcommand_from \(command)'"
    }

    private func fish(_ kind: WordKind) -> String {
        switch kind {
        case .text, .address: "-f"
        case .file: "-F"
        case .folder: "-f -a '(__\(name)_folders | string split0)'"
        case .scenario, .suite: "-F -a '(\(names) 2>/dev/null | string split0)'"
        case .words(let words): "-f -a \(words.quotedForShell)"
        }
    }

    private func fish(_ text: String) -> String {
        text.map { $0 == "\\" ? "\\\\" : String($0) }.joined().quotedForShell(apostrophe: #"\'"#)
    }
}
