import Arguments
import Conformance
import Glibc
import Simulation
import Spelling

/// Plays cases, each in a world of its own, and says what came of each.
func runCases(_ cases: [Case], _ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    for name in ["--events", "--trace"] where invocation.has(name) {
        throw CommandFailure(
            .usage, "lubdub: \(name) is for one scenario; of several cases, --keep DIR has a folder for each")
    }
    let player = try CasePlayer(invocation, keeping: cases)
    let jobs = try jobs(invocation, player)
    let reports = try ReportFiles(invocation)
    let habits = Round.Habits(
        play: player.play,
        tell: { turn, ending in
            guard let outcome = ending.outcome else { return }
            player.tell(Report.Entry(id: turn.item.id, outcome: outcome), ending.course)
        },
        showProgress: { player.showProgress($0, among: cases.count, playing: $1) })
    let runner = CaseRunner(cases, into: Report(version: version, seed: player.seed))
    let round = try Round(runner, jobs: jobs, isInOrder: player.isVirtual, habits).played(Signals())
    Console.show(last: nil)
    let report = round.runner.report
    for line in CaseFormatter(paint: player.paint, isVirtual: player.isVirtual).summary(report) { Console.print(line) }
    try reports.write(report)
    if let interruption = round.interruption {
        Console.complain("lubdub: ended early: \(report.cases.count) of \(cases.count) cases have been played")
        return interruption
    }
    if report.code == .environment { Console.complain("lubdub: nothing was judged: every case was skipped") }
    return report.code
}

/// Plays one scenario, and says what the client shows.
func runAlone(_ item: Case, _ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let player = try CasePlayer(invocation, keeping: [])
    let played = try Played(item.path, invocation)
    _ = try jobs(invocation, player)
    let reports = try ReportFiles(invocation)
    let habits = Round.Habits(
        play: { player.play(alone: played, $0, $1) },
        tell: { _, ending in
            guard let course = ending.course else { return }
            for line in course.lines(player.paint, isVirtual: player.isVirtual) { Console.print(line) }
        })
    let runner = CaseRunner([item], into: Report(version: version))
    let round = try Round(runner, jobs: 1, isInOrder: false, habits).played(Signals())
    try reports.write(round.runner.report)
    switch round.last {
    case .played(let course): return course.code
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
    } catch { throw CommandFailure(error) }
    guard let jobs, jobs > 1 else { return 1 }
    for (name, why) in [("--ask", "asks one person"), ("--radio", "has one radio for each device")]
    where invocation.has(name) {
        throw CommandFailure(.usage, "lubdub: \(name) \(why), so one case at a time is played: leave out --jobs")
    }
    // Of the kernel, each case has an interface of its own.
    for name in ["--said", "--controller"] where invocation.has(name) && invocation.text(name) != "vhci" {
        throw CommandFailure(
            .usage, "lubdub: \(name) is one address, where one case at a time can listen: leave out --jobs")
    }
    if player.verbosity == .verbose {
        throw CommandFailure(.usage, "lubdub: --verbose tells of one case at a time: leave out --jobs")
    }
    return jobs
}
