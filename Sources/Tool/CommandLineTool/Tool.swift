import Arguments
import Glibc

/// The version that `--version` prints, and that event logs and reports carry.
let version = "0.1.0"

/// Runs the command line tool with the words behind its name; returns the exit status.
public func runTool(_ words: [String]) -> Int32 {
    Console.prepare()
    let status = understand(words)
    switch Console.failure {
    case nil: return status
    case EPIPE?: return status == ExitCode.success.status ? ExitCode.signal(SIGPIPE).status : status
    case let code?:
        Console.complain("lubdub: cannot write to standard output: \(unsafe String(cString: strerror(code)))")
        return ExitCode.environment.status
    }
}

private typealias Action = @Sendable (Invocation) throws(CommandFailure) -> ExitCode

/// In the order of the help.
private let commands: [(grammar: Arguments.Grammar, action: Action)] = [
    (demoGrammar, demo), (runGrammar, run), (checkGrammar, check), (serveGrammar, serve), (monitorGrammar, monitor),
    (scanGrammar, scan), (controllerGrammar, controller), (matrixGrammar, matrix), (validateGrammar, validate),
    (explainGrammar, explain),
    (benchGrammar, bench), (doctorGrammar, doctor), (controlGrammar, control), (replayGrammar, replay),
]

private func understand(_ words: [String]) -> Int32 {
    let program = Program(
        "lubdub", "a Bluetooth Low Energy heart-rate device, scripted", commands: commands.map(\.grammar))
    do throws(UsageError) {
        switch try program.parse(words) {
        case .help(let text):
            Console.print(text)
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
        Console.complain("lubdub: \(error)")
        return ExitCode.usage.status
    }
}

private func carryOut(_ action: Action, _ invocation: Invocation) -> Int32 {
    do throws(CommandFailure) { return try action(invocation).status } catch {
        Console.complain(error.message)
        return error.code.status
    }
}

/// Why a command could not do what it was told.
struct CommandFailure: Error {
    let code: ExitCode
    let message: String

    init(_ code: ExitCode, _ message: String) { (self.code, self.message) = (code, message) }

    init(_ error: UsageError) { self.init(.usage, "lubdub: \(error)") }
}
