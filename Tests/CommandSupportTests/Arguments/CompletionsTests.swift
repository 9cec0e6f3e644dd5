import Testing

@testable import CommandSupport

/// The scripts as text; `Tests/Interoperability/test_install.py` lets the shells complete.
@Suite struct CompletionsTests {
    static let program = Program(
        "strap", "A strap.", "",
        groups: [
            .init(
                "",
                [
                    CommandGrammar(
                        "run", "Run one of a strap's days", operands: [.repeated("SUITE", of: .suite, "What to run")],
                        options: [
                            .option("--set", "NAME=VALUE", repeatable: true, "Set a variable [a: b]\nof the scenario"),
                            .option("--keep", "DIR", of: .folder, "Keep logs"),
                            .option("-o", "FILE", of: .file(.written), "Write a file"),
                            .option("--speed", "X|max", "Pace"), .flag("--quiet", "Don't print"),
                        ]),
                    CommandGrammar("control", "Control it", operands: [.required("SOCKET", "Where")]),
                ])
        ], topics: [HelpTopic("radios", "Radios", [])])

    @Test(
        arguments: [
            ("N|random", .words(["random"])), ("X|max", .words(["max"])), ("NAME=VALUE", .text), ("unix:PATH", .text),
            ("A..B", .text), ("", .text),
        ] as [(String, WordKind)])
    func `A placeholder suggests what a shell completes`(placeholder: String, kind: WordKind) {
        #expect(WordKind(placeholder: placeholder) == kind)
    }

    @Test(
        arguments: [
            (
                .bash,
                [
                    "        _strap_words 'run' 'control' 'help' '--help' '--version'",
                    "        run:--set) :; return ;;", "        run:--keep) _strap_paths dirnames; return ;;",
                    "        run:-o) _strap_paths default; return ;;",
                    "        run:--speed) _strap_words 'max'; return ;;",
                    "            run) _strap_words '--set' '--keep' '-o' '--speed' '--quiet' '--help' ;;",
                    "        run) _strap_scenarios ;;", "        control) : ;;",
                    "        help) _strap_words 'run' 'control' 'radios' ;;",
                    "    mapfile -d '' -t found < <(strap list 2>/dev/null)",
                    "complete -F _strap strap",
                ]
            ),
            (
                .zsh,
                [
                    "#compdef strap", #"            'run:Run one of a strap'\''s days'"#,
                    #"                '*--set=[Set a variable \[a\: b\]]:NAME=VALUE:' \"#,
                    "                '--keep=[Keep logs]:DIR:_files -/' \\",
                    "                '-o[Write a file]:FILE:_strap_files' \\",
                    "                '--speed=[Pace]:X|max:(max)' \\", #"                '--quiet[Don'\''t print]' \"#,
                    "                '*:SUITE:_strap_scenarios'", "                '*:SOCKET:'",
                ]
            ),
            (
                .fish,
                [
                    #"complete -c strap -n __fish_use_subcommand -a run -d 'Run one of a strap\'s days'"#,
                    "complete -c strap -n '__fish_seen_subcommand_from run' -l set -r -f -d 'Set a variable [a: b]'",
                    "complete -c strap -n '__fish_seen_subcommand_from run' -s o -r -F -d 'Write a file'",
                    "complete -c strap -n '__fish_seen_subcommand_from run' -l speed -r -f -a 'max' -d 'Pace'",
                    #"complete -c strap -n '__fish_seen_subcommand_from run' -l quiet -d 'Don\'t print'"#,
                    "complete -c strap -n '__fish_seen_subcommand_from run' -F -a '(strap list 2>/dev/null | string split0)'",
                ]
            ),
        ] as [(Shell, [String])])
    func `Each shell completes commands, options and what they take`(shell: Shell, lines: [String]) {
        let script = Self.program.completions(for: shell, names: "strap list")
        let written = script.split(separator: "\n").map(String.init)
        for line in lines { #expect(written.contains(line), "\(script)") }
    }
}
