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

/// What a later version has; this one says so.
private let planned = [
    "check", "doctor", "matrix", "control", "--client", "--report", "--strict", "--control", "--jobs", "--only",
    "--shard", "--list", "--said", "--ask",
]

private func understand(_ words: [String]) -> Int32 {
    let commands = [
        demoGrammar, runGrammar, serveGrammar, monitorGrammar, scanGrammar, controllerGrammar, validateGrammar, explainGrammar,
        benchGrammar,
    ]
    let program = Program("lubdub", "a Bluetooth Low Energy heart-rate device, scripted", commands: commands, planned: planned)
    do throws(UsageError) {
        switch try program.parse(words) {
        case .help(let text):
            Console.print(text)
            return ExitCode.success.status
        case .version:
            Console.print("lubdub \(version)")
            return ExitCode.success.status
        case .run(let command, let invocation): return carryOut(command, invocation)
        }
    } catch {
        Console.complain("lubdub: \(error)")
        return ExitCode.usage.status
    }
}

private func carryOut(_ command: String, _ invocation: Invocation) -> Int32 {
    do throws(CommandFailure) {
        switch command {
        case "demo": return try demo(invocation).status
        case "run": return try run(invocation).status
        case "serve": return try serve(invocation).status
        case "monitor": return try monitor(invocation).status
        case "scan": return try scan(invocation).status
        case "controller": return try controller(invocation).status
        case "bench": return try bench(invocation).status
        case "validate": return try validate(invocation).status
        default: return try explain(invocation).status
        }
    } catch {
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
