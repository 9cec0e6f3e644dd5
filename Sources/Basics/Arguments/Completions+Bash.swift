extension Completions {
    var bash: String {
        let values = commands.flatMap { grammar in
            grammar.options.filter { $0.value != nil }.map { option in
                "        \(grammar.command):\(option.name)) \(bash(option.kind)); return ;;"
            }
        }
        let options = commands.map { grammar in
            "            \(grammar.command)) _\(name)_words \(grammar.options.map(\.name).quotedForShell) ;;"
        }
        let operands = commands.compactMap { grammar in
            grammar.operandKind.map { "        \(grammar.command)) \(bash($0)) ;;" }
        }
        return """
            \(intro(.bash))

            _\(name)_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }

            _\(name)_paths() {
                compopt -o filenames 2>/dev/null
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$1" -- "$word")
            }

            _\(name)_scenarios() {
                _\(name)_words "$(\(names) 2>/dev/null)"
                _\(name)_paths -f
            }

            _\(name)() {
                local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
                # In --seed=7, = is a word.
                if [[ $word == = ]]; then
                    word=
                elif [[ $previous == = ]]; then
                    previous=${COMP_WORDS[COMP_CWORD - 2]}
                fi
                COMPREPLY=()
                if ((COMP_CWORD == 1)); then
                    _\(name)_words \((program.commandNames + ["help", "--help", "--version"]).quotedForShell)
                    return
                fi
                case $command:$previous in
            \(values.joined(separator: "\n"))
                esac
                if [[ $word == -* ]]; then
                    case $command in
            \(options.joined(separator: "\n"))
                    esac
                    return
                fi
                case $command in
            \(operands.joined(separator: "\n"))
                    help) _\(name)_words \(program.helpNames.quotedForShell) ;;
                esac
            }

            complete -F _\(name) \(name)

            """
    }

    private func bash(_ kind: WordKind) -> String {
        switch kind {
        case .text: ":"
        case .file: "_\(name)_paths -f"
        case .folder: "_\(name)_paths -d"
        case .scenario, .suite: "_\(name)_scenarios"
        case .words(let words): "_\(name)_words \(words.quotedForShell)"
        }
    }
}
