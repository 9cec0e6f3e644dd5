import Arguments
import Collector
import Conformance
import Scenarios
import Simulation
import Spelling
import VirtualWorld

let runGrammar = Arguments.Grammar(
    "run", "play scenarios to the built-in client, in virtual time, or to yours, and judge what they expect",
    operands: [
        .repeated(
            "SUITE",
            "a scenario file, a suite file, or a folder: all scenarios in it\nthe client connects to a scenario's "
                + "\"target\", or without one to the strap that it hears best")
    ],
    options: scenarioOptions + [
        Speed.option("max"),
        .option(
            "--client", "CMD",
            "judge your client, in real time: CMD is started by /bin/sh, LUBDUB_CONTROLLER is where its host finds\n"
                + "a controller, and it prints a JSON object a line: Documentation/testing-your-client.md"),
        .flag(
            "--ask",
            "judge an app that a person sees: they are told what to do, and asked what it shows; their answers are read\n"
                + "from standard input"),
        DeviceRadios.option,
        .option(
            "--said", "ADDRESS",
            "with --client: take its lines from a socket too, tcp:HOST:PORT or unix:PATH, as from a test on a phone"),
        .option(
            "--controller", "PLACE",
            "with --client or --ask: where its host finds a controller, instead of tcp:127.0.0.1 and a port that is free:\n"
                + "tcp:HOST:PORT, unix:PATH, or vhci, an interface of this machine's kernel, which only root can make"),
        .flag("--strict", "also judge what is only recommended (\"should\")"),
        .option(
            "--only", "GLOB", repeatable: true,
            "play only cases with such an id: a file's path without .json, in a folder or a suite relative to it"),
        .option("--shard", "I/N", "play only every N-th case, from the I-th on"),
        .option("--jobs", "N", "play so many cases at once (default 1)"),
        .flag("--list", "print the cases' ids instead, a line each"), ReportFiles.option,
        .flag("--quiet", "do not print what the client shows; of several cases, only those that do not pass"),
        .flag("--verbose", "also say, on standard error, what happens and every packet"),
    ])

func run(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    try checkClient(invocation)
    let cases = try gathered(invocation.operands)
    let chosen = try chosen(of: cases, invocation)
    if invocation.has("--list") {
        for item in chosen { Console.print(item.id) }
        return .success
    }
    guard invocation.operands.count == 1, let first = cases.first, first.isOperand else {
        return try runCases(chosen, invocation)
    }
    return try runAlone(first, invocation)
}

/// Throws where the command line does not say who uses what it names.
private func checkClient(_ invocation: Invocation) throws(CommandFailure) {
    if invocation.has("--ask"), invocation.has("--client") {
        throw CommandFailure(.usage, "lubdub: --ask and --client are two clients: leave one of them out")
    }
    if invocation.has("--said"), !invocation.has("--client") {
        throw CommandFailure(.usage, "lubdub: --said needs --client CMD, which starts who says something there")
    }
    for name in ["--controller", "--radio"]
    where invocation.has(name) && !invocation.has("--client") && !invocation.has("--ask") {
        throw CommandFailure(
            .usage, "lubdub: \(name) needs --client CMD, which starts who uses it, or --ask, for a person who does")
    }
}

/// The cases that `--only` and `--shard` leave: one at least.
private func chosen(of cases: [Case], _ invocation: Invocation) throws(CommandFailure) -> [Case] {
    let shard: Selection.Shard?
    do throws(UsageError) {
        shard = try invocation.value("--shard", as: "I/N with I from 1 to N, as in 2/4") { Selection.Shard($0) }
    } catch { throw CommandFailure(error) }
    let only = invocation.texts("--only")
    let globs = only.map { Glob($0) }
    let chosen = Selection(only: globs, shard).chosen(of: cases)
    guard chosen.isEmpty else { return chosen }
    guard !cases.isEmpty else {
        throw CommandFailure(.environment, "lubdub: nothing is played: the suite has no cases")
    }
    if Selection(only: globs, nil).chosen(of: cases).isEmpty {
        let words = only.map(\.quoted).joined(separator: " or ")
        guard cases.count == 1, let id = cases.first?.id else {
            throw CommandFailure(
                .environment,
                "lubdub: nothing is played: none of \(cases.count) cases is like \(words); --list prints their ids"
            )
        }
        throw CommandFailure(
            .environment,
            "lubdub: nothing is played: \(id.quoted) is the only case, and \(words) is not like it; "
                + "leave out --only, or write --only \(id.quoted)")
    }
    throw CommandFailure(
        .environment, "lubdub: nothing is played: no case is in this shard; there need not be so many shards")
}

extension ExitCode {
    /// Whether something was ended before its time.
    var isInterruption: Bool { if case .signal = self { true } else { false } }
}

/// Plays a scenario to the built-in client: what came of it, how that is judged, and how a command ends that plays
/// nothing else.
func perform(
    _ played: Played, at speed: Speed, _ narrator: Narrator?, source: [UInt8] = [], _ signals: Signals = Signals(),
    tell: @escaping @Sendable (Instant, SensorCollector.Saying) -> Void
) throws(CommandFailure) -> (Rehearsal, Judgement, ExitCode) {
    var world = try played.world()
    let files = try LogFiles(played, &world, narrator, source: source, isCase: true)
    world.judgeExpectations()
    var rehearsal = try Rehearsal(played, in: world, files)
    let reason: Ending.Reason
    switch speed {
    case .max:
        var interruption = Interruption(signals, files)
        rehearsal.play(tell, unless: { interruption.hasCome() })
        reason = interruption.reason ?? .time
    case .real(let factor):
        (rehearsal, reason) = try perform(rehearsal, files, signals, factor, tell)
    }
    let runaway = complain(ofRunaways: rehearsal.world, of: played.item?.id)
    rehearsal.world.endJudging()
    rehearsal.timeline = files.timeline(of: &rehearsal.world)
    let judgement =
        reason.code == nil
        ? try Judgement(rehearsal, of: played) : Judgement(rehearsal.world, isStrict: played.isStrict)
    let measured: ExitCode = rehearsal.measurements > 0 ? .success : .failure
    let code = try files.close(&rehearsal.world, reason.code ?? runaway ?? judgement.code ?? measured)
    return (rehearsal, judgement, code)
}

private func perform(
    _ rehearsal: Rehearsal, _ files: LogFiles, _ signals: Signals, _ factor: Double,
    _ tell: @escaping @Sendable (Instant, SensorCollector.Saying) -> Void
) throws(CommandFailure) -> (Rehearsal, Ending.Reason) {
    let loop = EventLoop(pace: .real(speed: factor))
    do {
        return try loop.run {
            let ending = Ending()
            let live = LiveRehearsal(rehearsal, files, on: loop, ending, tell: tell)
            await live.start()
            let reason = await ending.wait(signals, on: loop, for: nil)
            return (await live.close(), reason)
        }
    } catch { throw CommandFailure(.inner, "lubdub: \(error)") }
}

/// Says which rules of the script were cut off, and of which case's if it is one of several; a file that has such rules is
/// wrong, and how the command ends says so.
@discardableResult
func complain(ofRunaways world: World, of id: String? = nil) -> ExitCode? {
    for rule in world.runaways {
        Console.complain("lubdub: \(id.map { "\($0): " } ?? "")\(world.excuse(forCutting: rule))")
    }
    return world.runaways.isEmpty ? nil : .usage
}

extension World {
    /// Why a rule was cut off.
    func excuse(forCutting rule: Int) -> String {
        "\(name(of: rule)) of the script sets itself off without end, and was cut off"
    }
}
