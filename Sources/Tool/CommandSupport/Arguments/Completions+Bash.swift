extension Completions {
    var bash: String {
        let values = commands.flatMap { grammar in
            grammar.options.filter { $0.value != nil }.map { option in
                "        \(grammar.command):\(option.name)) \(bash(option.kind)); return ;;"
            }
        }
        let options = commands.map { grammar in
            "            \(grammar.command)) _\(name)_words \(bash(grammar.options.map(\.name))) ;;"
        }
        let operands = commands.compactMap { grammar in
            grammar.operandKind.map { "        \(grammar.command)) \(bash($0)) ;;" }
        }
        return """
            \(intro(.bash))

            \(bashFunctions)

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
                    _\(name)_words \(bash(program.commandNames + ["help", "--help", "--version"]))
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
                    help) _\(name)_words \(bash(program.helpNames)) ;;
                esac
            }

            complete -F _\(name) \(name)

            """
    }

    private func bash(_ kind: WordKind) -> String {
        switch kind {
        case .text, .address: ":"
        case .file: "_\(name)_paths default"
        case .folder: "_\(name)_paths dirnames"
        case .scenario, .suite: "_\(name)_scenarios"
        case .words(let words): "_\(name)_words \(bash(words))"
        }
    }

    private func bash(_ words: [String]) -> String { words.map { $0.quotedForShell() }.joined(separator: " ") }

    /// Functions that add words to `COMPREPLY`. They evaluate neither what was typed nor the name of a file or scenario,
    /// as `compgen -W` would. They quote by themselves, because Readline leaves a `$` in what is not the name of a file.
    private var bashFunctions: String {
        #"""
        # Sets plain to the typed word without its quotes, and quote to the quotation mark that it does not close.
        _\#(name)_unquote() {
            local rest=$word letter
            plain= quote=
            while [[ -n $rest ]]; do
                letter=${rest:0:1} rest=${rest:1}
                if [[ $letter == "$quote" ]]; then
                    quote=
                elif [[ $letter == \\ && $quote != \' ]]; then
                    [[ -z $quote || ${rest:0:1} == [\$\`\"\\] ]] || plain+=\\
                    plain+=${rest:0:1} rest=${rest:1}
                elif [[ -z $quote && $letter == [\"\'] ]]; then
                    quote=$letter
                else
                    plain+=$letter
                fi
            done
        }

        # Adds a word, quoted as it begins.
        _\#(name)_add() {
            local rest=$1 letter quoted=
            if [[ -z $quote && $word == '~/'* ]]; then quoted='~' rest=${rest:1}; fi
            while [[ -n $rest ]]; do
                letter=${rest:0:1} rest=${rest:1}
                case $quote:$letter in
                    \':\') quoted+="'\''" ;;
                    \':* | \":[^\"\$\`\\] | :[[:alnum:]_./,%+-]) quoted+=$letter ;;
                    :$'\n') quoted+=\'$letter\' ;;
                    *) quoted+=\\$letter ;;
                esac
            done
            COMPREPLY+=("$quoted")
        }

        _\#(name)_words() {
            local plain quote candidate
            _\#(name)_unquote
            for candidate; do
                if [[ $candidate == "$plain"* ]]; then _\#(name)_add "$candidate"; fi
            done
        }

        # Adds files, or folders for dirnames; this is also what Bash completes if there are none, such as $HOME/x.
        _\#(name)_paths() {
            local plain quote path file
            local -a found
            compopt -o filenames -o noquote -o "$1" 2>/dev/null
            _\#(name)_unquote
            path=$plain
            if [[ $word == '~/'* ]]; then path=$HOME/${plain:2}; fi
            mapfile -d '' -t found < <(
                set +f
                shopt -u failglob
                shopt -s nullglob
                unset GLOBIGNORE
                for file in "$path"*; do printf '%s\0' "$file"; done
            )
            for file in "${found[@]}"; do
                if [[ -d $file ]]; then file+=/; elif [[ $1 == dirnames ]]; then continue; fi
                file=$plain${file:${#path}}
                # A word that begins with - is an option.
                if [[ $file == -* ]]; then file=./$file; fi
                _\#(name)_add "$file"
            done
            # The name of a folder goes on.
            if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]]; then compopt -o nospace 2>/dev/null; fi
        }

        _\#(name)_scenarios() {
            local -a found
            mapfile -d '' -t found < <(\#(names) 2>/dev/null)
            _\#(name)_words "${found[@]}"
            _\#(name)_paths default
        }
        """#
    }
}
