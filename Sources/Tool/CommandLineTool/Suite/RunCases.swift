import Arguments
import CommandSupport
import Conformance
import Glibc
import ScenarioRuns
import Simulation
import Spelling

/// Plays cases, each in a world of its own, and says what came of each.
func runCases(_ cases: [Case], _ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    for name in ["--events", "--trace"] where invocation.has(name) {
        throw CommandFailure(
            .usage, "\(name) is for one scenario; of several cases, --keep DIR has a folder for each")
    }
    let player = try CasePlayer(invocation, keeping: cases)
    let jobs = try jobs(invocation, player)
    let reports = try ReportFiles(invocation)
    let callbacks = SuiteScheduler.Callbacks(
        play: player.play,
        tell: { turn, completion in
            guard let outcome = completion.outcome else { return }
            player.tell(Report.Entry(id: turn.item.id, outcome: outcome), completion.result)
        },
        showProgress: { player.showProgress($0, among: cases.count, playing: $1) })
    let runner = CaseRunner(cases, into: Report(version: version, seed: player.seed))
    let scheduler = try SuiteScheduler(runner, jobs: jobs, isInOrder: player.isVirtual, callbacks).played(Signals())
    Console.show(last: nil)
    let report = scheduler.runner.report
    for line in CaseFormatter(paint: player.paint, isVirtual: player.isVirtual).summary(report) { Console.print(line) }
    try reports.write(report)
    if let interruption = scheduler.interruption {
        Console.warn("ended early: \(report.cases.count) of \(cases.count) cases have been played")
        return interruption
    }
    if report.code == .environment { Console.warn("nothing was judged: every case was skipped") }
    return report.code
}

/// Plays one scenario, and says what the client shows.
func runAlone(_ item: Case, _ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let player = try CasePlayer(invocation, keeping: [])
    let configuration = try RunConfiguration(item.path, invocation)
    _ = try jobs(invocation, player)
    let reports = try ReportFiles(invocation)
    let callbacks = SuiteScheduler.Callbacks(
        play: { player.play(alone: configuration, $0, $1) },
        tell: { _, completion in
            guard let result = completion.result else { return }
            for line in result.lines(player.paint, isVirtual: player.isVirtual) { Console.print(line) }
        })
    let runner = CaseRunner([item], into: Report(version: version))
    let scheduler = try SuiteScheduler(runner, jobs: 1, isInOrder: false, callbacks).played(Signals())
    try reports.write(scheduler.runner.report)
    switch scheduler.last {
    case .played(let result): return result.code
    case .failed(let failure, _): throw failure
    case nil: return .inner
    }
}

/// How many cases are played at once.
private func jobs(_ invocation: Invocation, _ player: CasePlayer) throws(CommandFailure) -> Int {
    let most = 64
    let jobs: Int?
    do throws(UsageError) {
        jobs = try invocation.value("--jobs", as: "a whole number from 1 to \(most)") { text in
            Int(text).flatMap { (1...most).contains($0) ? $0 : nil }
        }
    } catch { throw CommandFailure(.usage, "\(error)") }
    guard let jobs, jobs > 1 else { return 1 }
    for (name, why) in [("--ask", "asks one person"), ("--radio", "has one radio for each device")]
    where invocation.has(name) {
        throw CommandFailure(.usage, "\(name) \(why), so one case at a time is played: leave out --jobs")
    }
    // Of the kernel, each case has an interface of its own.
    for name in ["--said", "--controller"] where invocation.has(name) && invocation.text(name) != "vhci" {
        throw CommandFailure(
            .usage, "\(name) is one address, where one case at a time can listen: leave out --jobs")
    }
    if player.verbosity == .verbose {
        throw CommandFailure(.usage, "--verbose tells of one case at a time: leave out --jobs")
    }
    return jobs
}
