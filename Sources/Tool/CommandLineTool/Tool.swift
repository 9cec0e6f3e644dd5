import Basics
import Cases
import CommandSupport
import Drivers
import Glibc

/// Runs the command line tool with its arguments, and returns the exit status.
package func runTool(_ words: [String]) -> Int32 {
    Console.showNotices()
    if words.count == 3, let parent = Int32(words[1]) {
        if words[0] == SupervisorGuard.word { return SupervisorGuard.run(words[2], below: parent) }
        if words[0] == Supervisor.word { return Supervisor.run(words[2], below: parent) }
    }
    if words.first == AdapterKeeper.word { return AdapterKeeper.run(Array(words.dropFirst())) }
    Console.prepare()
    let status = understand(words)
    switch Console.failure {
    case nil, EINTR?: return status
    case EPIPE?: return status == ExitCode.success.status ? ExitCode.signal(SIGPIPE).status : status
    case let code?:
        let reason = code == EBADF ? "it is closed" : unsafe String(cString: strerror(code))
        Console.warn("cannot write to standard output: \(reason)")
        return ExitCode.environment.status
    }
}

/// Reports a word of the command line that is not UTF-8, and returns the exit status.
package func refuse(_ word: String) -> Int32 {
    Console.prepare()
    Console.warn("\(word.abbreviated.quoted) on the command line is not UTF-8: write it so, or rename the file")
    return ExitCode.usage.status
}

private typealias Action = @Sendable (Invocation) throws(Obstacle) -> ExitCode

private typealias Command = (grammar: CommandGrammar, action: Action)

/// In the order of `--help`.
private let groups: [(title: String, commands: [Command])] = [
    ("Try it", [(demoGrammar, demo), (listGrammar, list)]),
    (
        "Test clients and peripherals",
        [(runGrammar, run), (checkGrammar, check), (mergeGrammar, merge), (matrixGrammar, matrix)]
    ), ("Write scenarios", writing),
    (
        "Connect devices, clients and hosts",
        [
            (serveGrammar, serve), (controlGrammar, control), (monitorGrammar, monitor), (scanGrammar, scan),
            (controllerGrammar, controller), (bridgeGrammar, bridge),
        ]
    ), ("Maintain", maintenance),
]

private let writing: [Command] = [
    (newGrammar, new), (validateGrammar, validate),
    (explainGrammar, { invocation throws(Obstacle) in try explain(invocation, of: program) }),
    (proveGrammar, prove), (recordGrammar, record), (replayGrammar, replay),
]

private let maintenance: [Command] = [
    (doctorGrammar, doctor),
    (completionsGrammar, { invocation throws(Obstacle) in try completions(invocation, of: program) }),
    (manualGrammar, { invocation throws(Obstacle) in try manual(invocation, of: program) }),
]

let program = Program(
    "lubdub",
    "Lubdub tests Bluetooth LE apps against simulated heart-rate straps that misbehave on purpose, and checks real "
        + "straps against the specifications.",
    "For each failure, it prints what it expected, what happened instead, a likely cause, the packets around it, and "
        + "a command that repeats the case.",
    groups: groups.map { .init($0.title, $0.commands.map(\.grammar)) }, topics: [radiosTopic])

private func understand(_ words: [String]) -> Int32 {
    do throws(UsageError) {
        switch try program.parse(words, width: Console.columns(of: Console.descriptor) ?? 100) {
        case .introduction:
            for line in Introduction.lines(program.summary) { Console.print("\(line)") }
            return ExitCode.success.status
        case .help(let text):
            Console.print(linesOf: text)
            return ExitCode.success.status
        case .version:
            Console.print("lubdub \(version)")
            return ExitCode.success.status
        case .run(let command, let invocation):
            guard let (grammar, action) = groups.flatMap(\.commands).first(where: { $0.grammar.command == command })
            else {
                return ExitCode.internalError.status
            }
            return carryOut { () throws(Obstacle) in try action(prepared(invocation, by: grammar)) }
        }
    } catch {
        Console.warn("\(error)\(scenarioHint(words))")
        return ExitCode.usage.status
    }
}

/// The command line with the paths of installed scenarios.  Throws, before a file is opened, if the command would overwrite one
/// that it reads, or write two outputs to one file.
func prepared(_ invocation: Invocation, by grammar: CommandGrammar) throws(Obstacle) -> Invocation {
    let invocation = try findingScenarios(of: invocation, by: grammar)
    _ = try FileUses(invocation)
    return invocation
}

/// The command line that is probably meant, if the first word is the name of a scenario.
private func scenarioHint(_ words: [String]) -> String {
    guard let word = words.first, !word.hasPrefix("-"), !program.commandNames.contains(word) else { return "" }
    let isScenario =
        word.hasSuffix(".json") || (try? ScenarioLibrary.installed?.path(named: word, orFolder: true)) != nil
    return isScenario ? ": for a scenario, write lubdub run \(word.operandForShell)" : ""
}

private func carryOut(_ action: () throws(Obstacle) -> ExitCode) -> Int32 {
    do throws(Obstacle) { return try action().status } catch {
        for line in error.lines {
            if error.isProblemList { Console.complain("\(line)") } else { Console.warn("\(line)") }
        }
        return error.code.status
    }
}
