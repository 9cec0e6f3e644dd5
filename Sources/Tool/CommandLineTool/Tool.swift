import Arguments
import Benchmarks
import ClientTesting
import CommandSupport
import Glibc
import ScenarioRuns

/// Runs the command line tool with its arguments, and returns the exit status.
package func runTool(_ words: [String]) -> Int32 {
    if words.count == 2, words[0] == Supervisor.word { return Supervisor.run(words[1]) }
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
    (scanGrammar, scan), (controllerGrammar, controller), (mergeGrammar, merge), (matrixGrammar, matrix),
    (validateGrammar, validate), (explainGrammar, explain),
    (benchGrammar, bench), (doctorGrammar, doctor), (controlGrammar, control), (replayGrammar, replay),
]

private func understand(_ words: [String]) -> Int32 {
    let program = Program(
        "lubdub",
        "A scriptable Bluetooth LE heart-rate peripheral, and a conformance test runner for clients and peripherals",
        commands: commands.map(\.grammar))
    do throws(UsageError) {
        switch try program.parse(words) {
        case .help(let text):
            Console.print(linesOf: text)
            return ExitCode.success.status
        case .version:
            Console.print("lubdub \(version)")
            return ExitCode.success.status
        case .run(let command, let invocation):
            guard let (_, action) = commands.first(where: { $0.grammar.command == command }) else {
                return ExitCode.internalError.status
            }
            return carryOut(action, invocation)
        }
    } catch {
        Console.warn("\(error)")
        return ExitCode.usage.status
    }
}

private func carryOut(_ action: Action, _ invocation: Invocation) -> Int32 {
    do throws(CommandFailure) { return try action(invocation).status } catch {
        for line in error.lines {
            if error.isProblemList { Console.complain("\(line)") } else { Console.warn("\(line)") }
        }
        return error.code.status
    }
}
