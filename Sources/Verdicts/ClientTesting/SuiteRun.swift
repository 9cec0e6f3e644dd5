package import Arguments
package import CommandSupport
package import Conformance
import Glibc
import ScenarioRuns
import Simulation
import TextFormatting

/// Runs cases, each in its own world, and prints their results.
package func runSuite(_ cases: [Case], _ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    for name in ["--events", "--trace"] where invocation.has(name) {
        throw CommandFailure(
            .usage, "\(name) records a single case, but several are selected: use --keep DIR, or select one with --only"
        )
    }
    let player = try CasePlayer(invocation, keeping: cases)
    let jobs = try jobs(invocation, player)
    let reports = try ReportFiles(invocation)
    let callbacks = SuiteScheduler.Callbacks(
        play: player.play,
        report: { turn, completion in
            guard let outcome = completion.outcome else { return }
            player.report(Report.Entry(id: turn.item.id, outcome: outcome), completion.result)
        },
        showProgress: { player.showProgress($0, among: cases.count, playing: $1) })
    let runner = CaseRunner(cases, into: Report(version: version, seed: player.seed))
    let scheduler = try SuiteScheduler(runner, jobs: jobs, isInOrder: player.isVirtual, callbacks).run(Signals())
    Console.show(last: nil)
    let report = scheduler.runner.report
    for line in CaseFormatter(paint: player.paint, isVirtual: player.isVirtual).summary(report) { Console.print(line) }
    try reports.write(report)
    if let interruption = scheduler.interruption {
        Console.warn("interrupted: \(report.cases.count) of \(cases.count) cases were run")
        return interruption
    }
    if report.code == .environment { Console.warn("nothing was judged: all cases were skipped") }
    return report.code
}

/// Runs one scenario, and prints what the client reports.
package func runSingleCase(_ item: Case, _ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let player = try CasePlayer(invocation, keeping: [])
    let configuration = try RunConfiguration(item.path, invocation)
    _ = try jobs(invocation, player)
    let reports = try ReportFiles(invocation)
    let callbacks = SuiteScheduler.Callbacks(
        play: { player.play(alone: configuration, $0, $1) },
        report: { _, completion in
            guard let result = completion.result else { return }
            for line in result.lines(player.paint, isVirtual: player.isVirtual) { Console.print(line) }
        })
    let runner = CaseRunner([item], into: Report(version: version))
    let scheduler = try SuiteScheduler(runner, jobs: 1, isInOrder: false, callbacks).run(Signals())
    try reports.write(scheduler.runner.report)
    switch scheduler.last {
    case .played(let result): return result.code
    case .failed(let failure, _): throw failure
    case nil: return .internalError
    }
}

/// The number of cases that run at a time.
private func jobs(_ invocation: Invocation, _ player: CasePlayer) throws(CommandFailure) -> Int {
    let range = 1...64
    let jobs = try orFail {
        try invocation.value("--jobs", as: "a whole number from 1 to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
    guard let jobs, jobs > 1 else { return 1 }
    for (name, why) in [("--ask", "asks one operator"), ("--radio", "uses one radio per device")]
    where invocation.has(name) {
        throw CommandFailure(.usage, "--jobs cannot be combined with \(name), which \(why)")
    }
    // With vhci, each case has its own interface.
    for name in ["--said", "--controller"] where invocation.has(name) && invocation.text(name) != "vhci" {
        throw CommandFailure(
            .usage, "--jobs cannot be combined with \(name): only one case can listen at the address")
    }
    if player.verbosity == .verbose {
        throw CommandFailure(.usage, "--jobs cannot be combined with --verbose, which prints one case at a time")
    }
    return jobs
}
