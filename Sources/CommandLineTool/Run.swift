import Arguments
import Collector
import Conformance
import Scenarios
import Simulation
import Spelling
import VirtualWorld

let runGrammar = Arguments.Grammar(
    "run", "play scenarios to the built-in client, in virtual time, or one to yours, and judge what they expect",
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
        .option(
            "--said", "ADDRESS",
            "with --client: take its lines from a socket too, tcp:HOST:PORT or unix:PATH, as from a test on a phone"),
        .flag("--strict", "also judge what is only recommended (\"should\")"),
        .option(
            "--only", "GLOB",
            "play only cases with such an id: a file's path without .json, in a folder or a suite relative to it"),
        .option("--shard", "I/N", "play only every N-th case, from the I-th on"),
        .flag("--list", "print the cases' ids instead, a line each"), ReportFiles.option,
        .flag("--quiet", "do not print what the client shows; of several cases, only those that do not pass"),
        .flag("--verbose", "also say, on standard error, what happens and every packet"),
    ])

func run(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    guard !invocation.has("--said") || invocation.has("--client") else {
        throw CommandFailure(.usage, "lubdub: --said needs --client CMD, which starts who says something there")
    }
    let cases = try gathered(invocation.operands)
    let chosen = try chosen(of: cases, invocation)
    if invocation.has("--list") {
        for item in chosen { Console.print(item.id) }
        return .success
    }
    if invocation.operands.count == 1, let first = cases.first, first.isOperand {
        return try runAlone(first.path, invocation)
    }
    guard !invocation.has("--client") else {
        throw CommandFailure(
            .usage, "lubdub: --client plays one scenario file at a time in this version; --list prints what there is")
    }
    return try runCases(chosen, invocation)
}

/// The cases that `--only` and `--shard` leave: one at least.
private func chosen(of cases: [Case], _ invocation: Invocation) throws(CommandFailure) -> [Case] {
    let shard: Selection.Shard?
    do throws(UsageError) {
        shard = try invocation.value("--shard", as: "I/N with I from 1 to N, as in 2/4") { Selection.Shard($0) }
    } catch { throw CommandFailure(error) }
    let only = invocation.text("--only")
    let chosen = Selection(only: only.map { Glob($0) }, shard).chosen(of: cases)
    guard chosen.isEmpty else { return chosen }
    guard !cases.isEmpty else {
        throw CommandFailure(.environment, "lubdub: nothing is played: the suite has no cases")
    }
    if let only, Selection(only: Glob(only), nil).chosen(of: cases).isEmpty {
        guard cases.count == 1, let id = cases.first?.id else {
            throw CommandFailure(
                .environment,
                "lubdub: nothing is played: none of \(cases.count) cases is like \(only.quoted); --list prints their ids"
            )
        }
        throw CommandFailure(
            .environment,
            "lubdub: nothing is played: \(id.quoted) is the only case, and \(only.quoted) is not like it; "
                + "leave out --only, or write --only \(id.quoted)")
    }
    throw CommandFailure(
        .environment, "lubdub: nothing is played: no case is in this shard; there need not be so many shards")
}

/// Plays one scenario, and says what the client shows.
private func runAlone(_ path: String, _ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let played = try Played(path, invocation)
    let reports = try ReportFiles(invocation)
    if let client = played.client {
        guard !invocation.has("--report") else {
            throw CommandFailure(
                .usage, "lubdub: reports of a client of yours are not written yet by this version: leave out --report")
        }
        return try run(client, played, invocation)
    }
    let verbosity = try Verbosity(invocation)
    let paint = try Paint(invocation, for: Console.descriptor)
    let narrator = try Narrator(ifVerbose: invocation)
    let source = contents(of: path) ?? []
    let (rehearsal, code) = try perform(played, at: played.speed ?? .max, narrator, source: source) { instant, saying in
        if verbosity > .quiet { Console.print("\(paint("\(instant)", .quiet))  \(paint(saying))") }
    }
    let count = rehearsal.measurements
    Console.print(
        "\(count) measurement\(count == 1 ? "" : "s") in \(rehearsal.world.now.sinceStart)"
            + (played.speed ?? .max == .max ? " of virtual time" : ""))
    let judgement = Judgement(rehearsal.world, isStrict: played.isStrict)
    for line in judgement.lines(paint) { Console.print(line) }
    if judgement.code == .failure { Console.print("replay: \(played.replay)") }
    var report = Report(version: version)
    if !code.isInterruption { report.add(played.caseID, Outcome(rehearsal, of: played)) }
    try reports.write(report)
    return code
}

extension ExitCode {
    /// Whether something was ended before its time.
    var isInterruption: Bool { if case .signal = self { true } else { false } }
}

/// Plays a scenario to the built-in client: what came of it, and how it ended.
func perform(
    _ played: Played, at speed: Speed, _ narrator: Narrator?, source: [UInt8] = [], _ signals: Signals = Signals(),
    tell: @escaping @Sendable (Instant, SensorCollector.Saying) -> Void
) throws(CommandFailure) -> (Rehearsal, ExitCode) {
    var world = try played.world()
    let files = try LogFiles(played, &world, narrator, source: source)
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
    let judged = Judgement(rehearsal.world, isStrict: played.isStrict).code
    let measured: ExitCode = rehearsal.measurements > 0 ? .success : .failure
    let code = try files.close(&rehearsal.world, reason.code ?? runaway ?? judged ?? measured)
    return (rehearsal, code)
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
        Console.complain(
            "lubdub: \(id.map { "\($0): " } ?? "")\(world.name(of: rule)) of the script sets itself off without end, and was cut off"
        )
    }
    return world.runaways.isEmpty ? nil : .usage
}
