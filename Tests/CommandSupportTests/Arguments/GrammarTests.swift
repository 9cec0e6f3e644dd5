import Testing

@testable import CommandSupport

@Suite struct GrammarTests {
    static let serve = CommandGrammar(
        "serve", "be the scenario's devices", operands: [.required("SCENARIO", "a JSON file")],
        options: [
            .option("--seed", "N", "repeat the chance of an earlier run"),
            .option("--set", "NAME=VALUE", repeatable: true, "override\na variable"),
            .option("--for", "DURATION", "stop after"),
            .flag("--quiet", "print nothing"),
        ])
    static let validate = CommandGrammar(
        "validate", "report every problem of a scenario file",
        operands: [.repeated("FILE", of: .file(.read), "JSON files")])
    static let check = CommandGrammar(
        "check", "check a peripheral", operands: [.optional("SCENARIO", "a JSON file")],
        options: [
            .option("--color", "WHEN", "auto, always or never"),
            .option("--report", "FILE", of: .file(.written), "write a report"),
        ])
    static let run = CommandGrammar(
        "run", "test a client",
        options: [
            .option("--report", "FILE", of: .file(.written), "write a report"), .flag("--strict", "fail early"),
        ])
    static let radios = HelpTopic(
        "radios", "Where devices and clients meet",
        [.init("Values of --radio", [("virtual", "no hardware"), ("bluez", "this\nmachine's")])])
    let program = Program(
        "lubdub", "A heart-rate strap that you can script.", "It fails.",
        groups: [.init("Connect", [serve]), .init("Write and test", [validate, check, run])], topics: [radios])

    private func invocation(_ words: [String]) throws -> Invocation {
        guard case .run(_, let invocation) = try program.parse(words) else { throw UsageError("no command ran") }
        return invocation
    }

    @Test func `Options can be anywhere, and their values follow a space or =`() throws {
        for words in [["serve", "--seed", "7", "a.json", "--quiet"], ["serve", "--quiet", "a.json", "--seed=7"]] {
            let found = try invocation(words)
            #expect(try found.value("--seed", as: "a number", UInt64.init) == 7)
            #expect(found.has("--quiet"))
            #expect(found.operands == ["a.json"])
        }
    }

    @Test func `The last value of an option counts, and every value of a repeatable one`() throws {
        let found = try invocation(["serve", "a", "--seed", "1", "--set", "x=1", "--seed", "2", "--set=y=2"])
        #expect(found.text("--seed") == "2")
        #expect(found.texts("--set") == ["x=1", "y=2"])
        #expect(found.texts("--for").isEmpty)
    }

    @Test(arguments: [
        (["check", "--report", ""], "--report needs a value: FILE"),
        (["check", "--report="], "--report needs a value: FILE"),
        (["validate", "a.json", ""], "FILE must not be empty"), (["validate", ""], "FILE must not be empty"),
    ])
    func `An empty word names no file`(words: [String], message: String) {
        let error = #expect(throws: UsageError.self) { try invocation(words) }
        #expect(error.map { "\($0)" }?.hasPrefix(message) == true, "\(String(describing: error))")
    }

    @Test func `An empty word can be another value`() throws {
        #expect(try invocation(["serve", "", "--set", ""]).texts("--set") == [""])
    }

    @Test func `Every word after two dashes is an operand, and a single dash always is`() throws {
        #expect(try invocation(["validate", "-", "--", "--seed", "-h"]).operands == ["-", "--seed", "-h"])
    }

    @Test func `Without words, the program introduces itself`() throws {
        guard case .introduction = try program.parse([]) else {
            Issue.record("no introduction")
            return
        }
    }

    @Test func `An optional operand can be omitted`() throws {
        #expect(try invocation(["check"]).operands.isEmpty)
        #expect(try invocation(["check", "a"]).operands == ["a"])
    }

    @Test(arguments: [
        (["sevre"], #"unknown command "sevre" (did you mean "serve"?)"#),
        (["help", "chekc"], #"unknown command "chekc" (did you mean "check"?)"#),
        (["help", "radio"], #"unknown command "radio" (did you mean "radios"?)"#),
        (["help", "--check"], #"unknown option "--check" (check is a command: write it without hyphens)"#),
        (["radios"], #"unknown command "radios""#),
        (["serve", "--sed", "7"], #"unknown option "--sed" (did you mean "--seed"?)"#),
        (["serve", "--zzzzzzzzz"], #"unknown option "--zzzzzzzzz""#),
        (["serve", "--report", "f"], "serve has no option --report; check and run have it"),
        (["serve", "--strict"], "serve has no option --strict; run has it"),
        (["doctor"], #"unknown command "doctor""#),
        (["serve", "--quite"], #"unknown option "--quite" (did you mean "--quiet"?)"#),
        (["serve", "--seed"], "--seed needs a value: N"),
        (["serve", "--quiet=yes", "a"], "--quiet takes no value"),
        (["serve"], "SCENARIO is missing"),
        (["serve", "a", "b"], #"unexpected operand "b""#),
        (["check", "a", "b"], #"unexpected operand "b""#),
        (["validate"], "FILE is missing"),
    ])
    func `An error names the wrong word`(words: [String], complaint: String) {
        let error = #expect(throws: UsageError.self) { try program.parse(words) }
        #expect(error?.description == complaint)
    }

    @Test func `An error names the wrong value`() throws {
        let found = try invocation(["serve", "--seed", "it's\n7", "--for", "soon", "a"])
        let seed = #expect(throws: UsageError.self) { try found.value("--seed", as: "a number", UInt64.init) }
        #expect(seed?.description == #"--seed must be a number, not "it's\n7""#)
        let limit = #expect(throws: UsageError.self) { try found.duration("--for") }
        #expect(limit?.description == #"--for must be a duration such as "5 s", not "soon""#)
        let color = #expect(throws: UsageError.self) {
            try invocation(["check", "--color", "allways"]).choice("--color", of: ["auto", "always", "never"])
        }
        #expect(
            color?.description
                == #"--color must be one of auto, always, never, not "allways" (did you mean "always"?)"#)
    }

    @Test(arguments: [
        ["serve", "--help"], ["serve", "-h", "--nonsense"], ["serve", "a", "b", "--help"], ["help", "serve"],
    ])
    func `The help of a command is generated from its grammar`(words: [String]) throws {
        guard case .help(let text) = try program.parse(words) else {
            Issue.record("no help for \(words)")
            return
        }
        #expect(
            text == """
                Usage: lubdub serve [OPTION...] SCENARIO

                be the scenario's devices

                  SCENARIO          a JSON file
                  --seed N          repeat the chance of an earlier run
                  --set NAME=VALUE  override a variable (repeatable)
                  --for DURATION    stop after
                  --quiet           print nothing
                  --help            Print this help
                """)
    }

    @Test(arguments: [["--help"], ["-h"], ["help"]]) func `The help lists the commands`(words: [String]) throws {
        guard case .help(let text) = try program.parse(words) else {
            Issue.record("no help for \(words)")
            return
        }
        #expect(
            text == """
                Usage: lubdub COMMAND [OPTION...] [OPERAND...]

                A heart-rate strap that you can script. It fails.

                Connect:

                  serve        be the scenario's devices

                Write and test:

                  validate     report every problem of a scenario file
                  check        check a peripheral
                  run          test a client

                Topics:

                  help radios  Where devices and clients meet

                lubdub COMMAND --help describes a command; lubdub --version prints the version.
                """)
    }

    @Test func `A topic of several commands has its own help`() throws {
        guard case .help(let text) = try program.parse(["help", "radios"]) else {
            Issue.record("no help")
            return
        }
        #expect(
            text == """
                Where devices and clients meet

                Values of --radio:

                  virtual  no hardware
                  bluez    this machine's
                """)
    }

    @Test func `Groups of options have headings, and the first one has the operands`() throws {
        let grammar = CommandGrammar(
            "play", "Play it", operands: [.required("SCENARIO", "What to play")],
            groups: [
                .init("What to play", [.option("--seed", "N", "Repeat")]),
                .init("Output", [.flag("--quiet", "Print nothing")]),
            ])
        #expect(
            grammar.usage(of: "lubdub", width: 80) == """
                Usage: lubdub play [OPTION...] SCENARIO

                Play it

                What to play:

                  SCENARIO  What to play
                  --seed N  Repeat

                Output:

                  --quiet   Print nothing
                  --help    Print this help
                """)
        #expect(try grammar.parse(["--quiet", "--seed", "7", "a"]).text("--seed") == "7")
    }
}
