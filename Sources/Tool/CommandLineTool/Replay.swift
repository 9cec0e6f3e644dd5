import Basics
import Cases
import CommandSupport
import Conformance
import Linux

let replayGrammar = CommandGrammar(
    "replay", "Turn an event log, including manual actions, into a scenario that repeats the run",
    operands: [.required("EVENTS", of: .file(.read), "An event log written by serve")],
    options: [
        .option("-o", "SCENARIO", of: .file(.written), "File to write (default: standard output)"),
        .option("--scenario", "FILE", of: .scenario, "Path of the original scenario (default: the path in the log)"),
        .flag("--changed", "Accept the original scenario even if its files have changed since the run"),
    ])

func replay(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let path = invocation.operands.first ?? ""
    let target = invocation.text("-o")
    let replay = try EventLogReplay(of: path, scenario: invocation.text("--scenario"))
    let text = try replay.text(at: target, acceptingChanges: invocation.has("--changed"))
    guard let target else {
        Console.print(linesOf: String(text.dropLast()))
        return .success
    }
    try orFail(.environment) { try WholeFile(target).write(text) }
    Console.print("Wrote \(target) with \(replay.actionCount.counted("manual action"))")
    return .success
}
