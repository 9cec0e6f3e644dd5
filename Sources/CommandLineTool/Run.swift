import Arguments
import Collector
import Scenarios
import Simulation
import Spelling
import VirtualWorld

let runGrammar = Arguments.Grammar(
    "run", "play a scenario to the built-in client, in virtual time, or to yours, and judge what it expects",
    operands: [
        .required(
            "SCENARIO",
            "a scenario file; the client connects to its \"target\", or without one to the strap that it hears best")
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
        .option("--only", "GLOB", "play only what has such an id: the file's path without .json"),
        .flag("--quiet", "do not print what the client shows"),
        .flag("--verbose", "also say, on standard error, what happens and every packet"),
    ])

func run(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let path = invocation.operands.first ?? ""
    let played = try Played(path, invocation)
    if let only = invocation.text("--only"), !Glob(only).matches(played.caseID) {
        throw CommandFailure(
            .environment,
            "lubdub: nothing is played: \(played.caseID.quoted) is the only case, and \(only.quoted) is not like it; "
                + "leave out --only, or write --only \(played.caseID.quoted)")
    }
    if let client = played.client { return try run(client, played, invocation) }
    guard !invocation.has("--said") else {
        throw CommandFailure(.usage, "lubdub: --said needs --client CMD, which starts who says something there")
    }
    let verbosity = try Verbosity(invocation)
    let paint = try Paint(invocation, for: Console.descriptor)
    let narrator: Narrator? =
        verbosity == .verbose ? Narrator(.verbose, try Paint(invocation, for: 2), say: Console.complain) : nil
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
    return code
}

/// Plays a scenario to the built-in client: what came of it, and how it ended.
func perform(
    _ played: Played, at speed: Speed, _ narrator: Narrator?, source: [UInt8] = [],
    tell: @escaping @Sendable (Instant, SensorCollector.Saying) -> Void
) throws(CommandFailure) -> (Rehearsal, ExitCode) {
    var world = try played.world()
    let files = try LogFiles(played, &world, narrator, source: source)
    world.judgeExpectations()
    var rehearsal = try Rehearsal(played, in: world, files)
    let signals = Signals()
    let reason: Ending.Reason
    switch speed {
    case .max:
        var interruption = Interruption(signals, files)
        rehearsal.play(tell, unless: { interruption.hasCome() })
        reason = interruption.reason ?? .time
    case .real(let factor):
        (rehearsal, reason) = try perform(rehearsal, files, signals, factor, tell)
    }
    let runaway = complain(ofRunaways: rehearsal.world)
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

/// Says which rules of the script were cut off; a file that has such rules is wrong, and how the command ends says so.
func complain(ofRunaways world: World) -> ExitCode? {
    for rule in world.runaways {
        Console.complain("lubdub: \(world.name(of: rule)) of the script sets itself off without end, and was cut off")
    }
    return world.runaways.isEmpty ? nil : .usage
}
