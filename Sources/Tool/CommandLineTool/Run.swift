import Arguments
import Collector
import CommandSupport
import Conformance
import Drivers
import ScenarioRuns
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
        throw CommandFailure(.usage, "--ask and --client are two clients: leave one of them out")
    }
    if invocation.has("--said"), !invocation.has("--client") {
        throw CommandFailure(.usage, "--said needs --client CMD, which starts who says something there")
    }
    for name in ["--controller", "--radio"]
    where invocation.has(name) && !invocation.has("--client") && !invocation.has("--ask") {
        throw CommandFailure(
            .usage, "\(name) needs --client CMD, which starts who uses it, or --ask, for a person who does")
    }
}

/// The cases that `--only` and `--shard` leave: one at least.
private func chosen(of cases: [Case], _ invocation: Invocation) throws(CommandFailure) -> [Case] {
    let shard: Selection.Shard?
    do throws(UsageError) {
        shard = try invocation.value("--shard", as: "I/N with I from 1 to N, as in 2/4") { Selection.Shard($0) }
    } catch { throw CommandFailure(.usage, "\(error)") }
    let only = invocation.texts("--only")
    let globs = only.map { Glob($0) }
    let chosen = Selection(only: globs, shard).chosen(of: cases)
    guard chosen.isEmpty else { return chosen }
    guard !cases.isEmpty else {
        throw CommandFailure(.environment, "nothing is played: the suite has no cases")
    }
    if Selection(only: globs, nil).chosen(of: cases).isEmpty {
        let words = only.map(\.quoted).joined(separator: " or ")
        guard cases.count == 1, let id = cases.first?.id else {
            throw CommandFailure(
                .environment,
                "nothing is played: none of \(cases.count) cases is like \(words); --list prints their ids"
            )
        }
        throw CommandFailure(
            .environment,
            "nothing is played: \(id.quoted) is the only case, and \(words) is not like it; "
                + "leave out --only, or write --only \(id.quoted)")
    }
    throw CommandFailure(
        .environment, "nothing is played: no case is in this shard; there need not be so many shards")
}

/// Plays a scenario to the built-in client: what came of it, how that is judged, and how a command ends that plays
/// nothing else.
func perform(
    _ configuration: RunConfiguration, at speed: Speed, _ narrator: Narrator?, source: [UInt8] = [],
    _ signals: Signals = Signals(),
    tell: @escaping @Sendable (Instant, SensorCollector.Saying) -> Void
) throws(CommandFailure) -> (BuiltInClientRun, Judgement, ExitCode) {
    var world = try configuration.world()
    let files = try LogFiles(configuration, &world, narrator, source: source, isCase: true)
    world.judgeExpectations()
    var clientRun = try BuiltInClientRun(configuration, in: world, files)
    let reason: RunCompletion.Reason
    switch speed {
    case .max:
        var interruption = Interruption(signals, files)
        clientRun.play(tell, unless: { interruption.hasCome() })
        reason = interruption.reason ?? .time
    case .real(let factor):
        (clientRun, reason) = try perform(clientRun, files, signals, factor, tell)
    }
    let runaway = complain(ofRunaways: clientRun.world, of: configuration.item?.id)
    clientRun.world.endJudging()
    clientRun.chronicle = files.chronicle(of: &clientRun.world)
    let judgement =
        reason.code == nil
        ? try Judgement(clientRun, of: configuration) : Judgement(clientRun.world, isStrict: configuration.isStrict)
    let measured: ExitCode = clientRun.measurements > 0 ? .success : .failure
    let code = try files.close(&clientRun.world, reason.code ?? runaway ?? judgement.code ?? measured)
    return (clientRun, judgement, code)
}

private func perform(
    _ clientRun: BuiltInClientRun, _ files: LogFiles, _ signals: Signals, _ factor: Double,
    _ tell: @escaping @Sendable (Instant, SensorCollector.Saying) -> Void
) throws(CommandFailure) -> (BuiltInClientRun, RunCompletion.Reason) {
    let loop = EventLoop(pace: .real(speed: factor))
    do {
        return try loop.run {
            let completion = RunCompletion()
            let live = PacedRun(clientRun, files, on: loop, completion, tell: tell)
            await live.start()
            let reason = await completion.wait(signals, on: loop, for: nil)
            return (await live.close(), reason)
        }
    } catch { throw CommandFailure(.inner, "\(error)") }
}
