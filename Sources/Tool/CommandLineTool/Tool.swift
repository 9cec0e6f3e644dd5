import Arguments
import Benchmarks
import ClientTesting
import CommandSupport
import Glibc
import KernelBluetooth
import ScenarioRuns

/// Runs the command line tool with its arguments, and returns the exit status.
package func runTool(_ words: [String]) -> Int32 {
    if words.count == 2, words[0] == Supervisor.word { return Supervisor.run(words[1]) }
    if words.first == AdapterKeeper.word { return AdapterKeeper.run(Array(words.dropFirst())) }
    Console.prepare()
    let status = understand(words)
    switch Console.failure {
    case nil, EINTR?: return status
    case EPIPE?: return status == ExitCode.success.status ? ExitCode.signal(SIGPIPE).status : status
    case let code?:
        Console.warn("cannot write to standard output: \(unsafe String(cString: strerror(code)))")
        return ExitCode.environment.status
    }
}

private typealias Action = @Sendable (Invocation) throws(CommandFailure) -> ExitCode

/// In the order of `--help`.
private let commands: [(grammar: Arguments.Grammar, action: Action)] = [
    (demoGrammar, demo), (runGrammar, run), (checkGrammar, check), (serveGrammar, serve), (monitorGrammar, monitor),
    (scanGrammar, scan), (recordGrammar, record), (controllerGrammar, controller), (bridgeGrammar, bridge),
    (mergeGrammar, merge), (matrixGrammar, matrix),
    (listGrammar, list), (newGrammar, new), (validateGrammar, validate), (proveGrammar, prove),
    (explainGrammar, { invocation throws(CommandFailure) in try explain(invocation, of: program) }),
    (benchGrammar, bench), (doctorGrammar, doctor), (controlGrammar, control), (replayGrammar, replay),
    (completionsGrammar, { invocation throws(CommandFailure) in try completions(invocation, of: program) }),
    (manualGrammar, { invocation throws(CommandFailure) in try manual(invocation, of: program) }),
]

private let program = Program(
    "lubdub",
    "A scriptable Bluetooth LE heart-rate peripheral, and a conformance test runner for clients and peripherals",
    commands: commands.map(\.grammar))

private func understand(_ words: [String]) -> Int32 {
    do throws(UsageError) {
        switch try program.parse(words, width: Console.columns(of: Console.descriptor) ?? 100) {
        case .introduction:
            for line in Introduction.lines { Console.print("\(line)") }
            return ExitCode.success.status
        case .help(let text):
            Console.print(linesOf: text)
            return ExitCode.success.status
        case .version:
            Console.print("lubdub \(version)")
            return ExitCode.success.status
        case .run(let command, let invocation):
            guard let (grammar, action) = commands.first(where: { $0.grammar.command == command }) else {
                return ExitCode.internalError.status
            }
            return carryOut { () throws(CommandFailure) in try action(findingScenarios(of: invocation, by: grammar)) }
        }
    } catch {
        Console.warn("\(error)\(scenarioHint(words))")
        return ExitCode.usage.status
    }
}

/// The command line that is probably meant, if the first word is the name of a scenario.
private func scenarioHint(_ words: [String]) -> String {
    guard let word = words.first, !word.hasPrefix("-"), !program.commandNames.contains(word) else { return "" }
    let isScenario =
        word.hasSuffix(".json") || (try? ScenarioLibrary.installed?.path(named: word, orFolder: true)) != nil
    return isScenario ? ": for a scenario, write lubdub run \(word.operandForShell)" : ""
}

private func carryOut(_ action: () throws(CommandFailure) -> ExitCode) -> Int32 {
    do throws(CommandFailure) { return try action().status } catch {
        for line in error.lines {
            if error.isProblemList { Console.complain("\(line)") } else { Console.warn("\(line)") }
        }
        return error.code.status
    }
}
