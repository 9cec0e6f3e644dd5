import Arguments
import CommandSupport
import Replay
import Reporting
import Spelling

let replayGrammar = Arguments.Grammar(
    "replay", "make a scenario of an event log, with what was done by hand in its script",
    operands: [.required("EVENTS", "the event log of a serve")],
    options: [
        .option("-o", "SCENARIO", "the file to write (default: standard output)"),
        .option("--scenario", "FILE", "the scenario that was played, where the log's own path does not lead to it"),
        .flag("--changed", "take the scenario as it is now, though it is not what it was"),
    ])

func replay(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let path = invocation.operands.first ?? ""
    let target = invocation.text("-o")
    let replay = try EventLogReplay(of: path, scenario: invocation.text("--scenario"))
    if let target, [path, replay.scenario].map(absolutePath).contains(absolutePath(target)) {
        throw CommandFailure(.usage, "-o \(target.quoted) is one of the files that replay reads: choose another name")
    }
    let text = try replay.text(at: target ?? "replay.json", acceptingChanges: invocation.has("--changed"))
    guard let target else {
        Console.print(String(text.dropLast()))
        return .success
    }
    try orFail(.environment) {
        let file = try OutputFile(target)
        file.write(Array(text.utf8)[...])
        try file.close()
    }
    let count = replay.actionCount
    Console.print("Wrote \(target) with \(count) manual action\(count == 1 ? "" : "s")")
    return .success
}
