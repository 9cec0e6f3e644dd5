extension Completions {
    var zsh: String {
        let list = commands.map { "            \("\($0.command):\($0.summary)".quotedForShell())" }
        let cases = commands.map { grammar in
            let operand = grammar.operands.last.map { "'*:\(zshText($0.name)):\(zsh($0.kind))'" }
            let specifications = grammar.options.map(zsh) + [operand].compactMap { $0 }
            let words = (["_arguments"] + specifications).joined(separator: " \\\n                ")
            return "        \(grammar.command))\n            \(words)\n            ;;"
        }
        return """
            #compdef \(name)
            \(intro(.zsh))

            _\(name)_scenarios() {
                local -a names
                names=(${(0)"$(\(names) 2>/dev/null)"})
                _alternative 'names:installed scenario:compadd -a names' 'files:file:_\(name)_files'
            }

            # A word that begins with - is an option, so such a file is completed as ./-NAME.
            _\(name)_files() {
                local -a dashed
                dashed=(./-*(N))
                if [[ -n $PREFIX ]] || (($#dashed == 0)); then
                    _files
                    return
                fi
                _alternative 'files:file:_path_files -g "^-*"' 'dashed:file:compadd -f -a dashed'
            }

            _\(name)() {
                if ((CURRENT == 2)); then
                    local -a commands
                    commands=(
            \(list.joined(separator: "\n"))
                    )
                    _describe command commands
                    return
                fi
                local command=$words[2] curcontext=$curcontext:$words[2]
                shift words
                ((CURRENT--))
                case $command in
            \(cases.joined(separator: "\n"))
                    help) _values command \(program.helpNames.joined(separator: " ")) ;;
                esac
            }

            if [[ $funcstack[1] == _\(name) ]]; then
                _\(name) "$@"
            else
                compdef _\(name) \(name)
            fi

            """
    }

    private func zsh(_ option: CommandGrammar.Option) -> String {
        let title = "[\(zshText(option.title))]"
        guard let value = option.value else { return (option.name + title).quotedForShell() }
        let name = (option.isRepeatable ? "*" : "") + option.name + (option.name.hasPrefix("--") ? "=" : "")
        return "\(name)\(title):\(zshText(value)):\(zsh(option.kind))".quotedForShell()
    }

    private func zsh(_ kind: WordKind) -> String {
        switch kind {
        case .text, .address: ""
        case .file: "_\(name)_files"
        case .folder: "_files -/"
        case .scenario, .suite: "_\(name)_scenarios"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    /// Text within a specification of `_arguments`, in which colons and brackets have a meaning.
    private func zshText(_ text: String) -> String {
        text.map { "\\:[]".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
