package import Basics
import Cases
import Clients
package import CommandSupport
package import Conformance
import Documents
import Expectations
import Glibc
import Linux
import ScenarioLanguage
import ScenarioModel
import Sockets
import VirtualWorld

/// Runs cases with the options of a command line, each in its own world, on any thread.
struct CasePlayer: Sendable {
    enum Client: Sendable {
        case builtIn(Speed)
        case external(ClientUnderTest)
    }

    let verbosity: Verbosity
    let paint: Paint
    let client: Client
    let seed: UInt64?
    /// Whether results are JSON for programs.
    private let isJSON: Bool
    private let bar: ProgressBar?
    private let invocation: Invocation
    private let variables: [String: Node]
    private let folders: [String: String]
    private let narrator: Narrator?

    /// Throws when the options contradict each other.
    init(_ invocation: Invocation, keeping cases: [Case]) throws(Obstacle) {
        self.invocation = invocation
        (seed, verbosity) = (try RunPlan.seed(invocation), try Verbosity(invocation))
        isJSON = invocation.has("--json")
        bar = verbosity == .normal ? .ofSteps() : nil
        paint = try Paint(invocation, for: Console.descriptor)
        if let external = try ClientUnderTest(invocation) {
            client = .external(external)
        } else {
            client = .builtIn(try RunPlan.speed(invocation) ?? .max)
        }
        variables = try RunPlan.variables(invocation.texts("--set"))
        narrator = try Narrator(ifVerbose: invocation)
        let ids = cases.map(\.id)
        let paths = invocation.text("--keep").map { ArtifactDirectory.paths(of: ids, in: $0) } ?? []
        folders = Dictionary(zip(ids, paths)) { first, _ in first }
    }

    /// Throws when a report or an artifact would overwrite a file of the cases.
    func checkFiles(of cases: [Case]) throws(Obstacle) {
        guard invocation.has("--report") || invocation.has("--keep") else { return }
        var files: [String] = []
        for source in Set(cases.map { Source(path: $0.path, variables: $0.variables.merging(variables) { $1 }) }) {
            _ = ScenarioFile.read(source.path, variables: source.variables) { path in
                files.append(path)
                return contents(of: path)
            }
        }
        var uses = try FileUses(invocation, reading: files)
        try uses.keep(invocation, folders: cases.compactMap { folders[$0.id] })
    }

    /// The scenario of a case, which all of its runs share.
    private struct Source: Hashable {
        let path: String
        let variables: [String: Node]
    }

    var isVirtual: Bool {
        switch client {
        case .builtIn(let speed): speed == .max
        case .external(let client): client.pace.canBeVirtual
        }
    }

    /// Adds to a report in whose time the cases were played.
    func describeTime(in report: inout Report) {
        guard case .external(let client) = client else { return }
        (report.time, report.compute) = (client.pace.time, client.pace.charge?.description)
    }

    func play(_ turn: SuiteScheduler.Turn, _ signals: Signals) -> SuiteScheduler.CaseCompletion {
        let item = turn.item
        let scenario: Scenario
        switch CaseReading(item, variables: variables) {
        case .scenario(let read, _): scenario = read
        case .unplayed(let outcome): return .played(CaseResult(unplayed: outcome))
        }
        do throws(Obstacle) {
            let plan = try RunPlan(scenario, item, seed: seed, keep: folders[item.id], invocation)
            let printsClient = verbosity == .verbose && !isJSON
            return .played(try play(plan, turn, signals, printsClient: printsClient))
        } catch { return .failed(error, title: scenario.name) }
    }

    func play(
        alone plan: RunPlan, _ turn: SuiteScheduler.Turn, _ signals: Signals
    ) -> SuiteScheduler.CaseCompletion {
        do throws(Obstacle) {
            let bar = verbosity == .normal ? ProgressBar() : nil
            return .played(
                try play(plan, turn, signals, printsClient: verbosity > .quiet && !isJSON, showing: bar))
        } catch { return .failed(error, title: plan.scenario.name) }
    }

    /// `printsClient`: whether the client's lines are printed.
    private func play(
        _ plan: RunPlan, _ turn: SuiteScheduler.Turn, _ signals: Signals, printsClient: Bool,
        showing bar: ProgressBar? = nil
    ) throws(Obstacle) -> CaseResult {
        let source = plan.keep == nil ? [] : contents(of: plan.path) ?? []
        switch client {
        case .builtIn(let speed):
            let reasons = plan.scenario.unplayed(on: .rehearsal)
            guard reasons.isEmpty else {
                return CaseResult(unplayed: Outcome(.skip, title: plan.scenario.name, reasons: reasons))
            }
            let (clientRun, judgement, code) = try playToBuiltInClient(
                plan, at: speed, for: RunListener(narrator), source: source, signals,
                showing: bar.map { bar in RunProgress(show: { bar.show($0, $1()) }, end: ProgressBar.remove) }
            ) {
                instant, update in
                if printsClient { Console.print("\(paint("\(instant)", .quiet))  \(paint(update))") }
            }
            return CaseResult(clientRun, judgement, of: plan, code: code)
        case .external(let external):
            let isOneOfSeveral = (invocation.text("--jobs").flatMap { Int($0) } ?? 1) > 1
            let label = isOneOfSeveral ? plan.item?.id : nil
            let hasAddresses = !isJSON && (plan.item == nil || verbosity > .quiet)
            let follower = ClientUnderTest.Follower { [paint] instant, line in
                if printsClient { Console.print("\(paint("\(instant)", .quiet))  \(line.json.abbreviated)") }
            } address: { line in
                if hasAddresses { Console.print("\(line)\(label.map { " \($0)" } ?? "")") }
            } errors: { [verbosity] lines in
                guard verbosity > .quiet else { return }
                for line in lines { Console.complain("\(label.map { "\($0): " } ?? "")\(line)") }
            }
            var result = try external.play(plan, for: RunListener(narrator), source: source, signals, follower)
            if let disturbance = result.disturbance, !turn.isSecond {
                announceRepetition(plan, after: disturbance, &result)
            }
            return result
        }
    }

    /// Announces that a disturbed case is repeated, or why it is not.
    private func announceRepetition(
        _ plan: RunPlan, after disturbance: String, _ result: inout CaseResult
    ) {
        let who = plan.item.map { "\($0.id): " } ?? ""
        if plan.hasStreamedLog {
            result.disturbance = nil
            Console.warn(
                "\(who)\(disturbance); the case is not repeated, because its event log is already written: "
                    + "use --events with a file to allow that")
        } else {
            let end = who.isEmpty ? "" : " at the end of the suite"
            Console.warn("\(who)\(disturbance): the case is repeated\(end)")
        }
    }

    // MARK: Output

    func report(_ entry: Report.Entry, _ result: CaseResult?) {
        if isJSON { return CaseLines.show(entry) }
        guard verbosity > .quiet || entry.outcome.verdict != .pass else { return }
        if verbosity == .verbose, let judgement = result?.judgement {
            for line in judgement.lines(paint) { Console.print(line) }
        }
        for line in CaseFormatter(paint: paint, isVirtual: isVirtual).lines(entry) { Console.print(line) }
    }

    private var time: Report.Time? {
        switch client {
        case .builtIn: isVirtual ? .virtual : nil
        case .external(let client): client.pace.time
        }
    }

    /// Reports the only case of a run.
    func reportAlone(_ item: Case, _ completion: SuiteScheduler.CaseCompletion) {
        if isJSON {
            guard let outcome = completion.outcome else { return }
            CaseLines.show(Report.Entry(id: item.id, outcome: outcome))
        } else if let result = completion.result {
            for line in result.lines(paint, in: time) { Console.print(line) }
        }
    }

    func reportEnd(_ report: Report) {
        if isJSON { return CaseLines.showSummary(report) }
        for line in CaseFormatter(paint: paint, isVirtual: isVirtual).summary(report) { Console.print(line) }
    }

    /// Shows on a terminal how many cases have finished, and which are running.
    func showProgress(_ ended: Int, among count: Int, playing ids: [String]) {
        guard let bar else { return }
        let names = ids.joined(separator: ", ")
        let shown = names.count > 50 ? "…" + names.suffix(49) : names
        bar.show(Double(ended) / Double(max(1, count)), "\(min(ended + 1, count)) of \(count): \(shown)")
    }
}

/// Runs cases, each in its own world, and prints their results.
package func runSuite(_ selection: CaseSelection, _ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let (cases, signals) = (selection.cases, Signals())
    for name in ["--events", "--trace"] where invocation.has(name) {
        throw Obstacle(
            .usage, "\(name) records a single case, but several are selected: use --keep DIR, or select one with --only"
        )
    }
    let player = try CasePlayer(invocation, keeping: cases)
    try player.checkFiles(of: cases)
    let jobs = try jobs(invocation, player)
    let reports = try ReportFiles(invocation)
    var callbacks = SuiteScheduler.Callbacks(play: player.play, interruption: { Console.interruption }) {
        turn, completion in
        guard let outcome = completion.outcome else { return }
        let entry = Report.Entry(id: turn.item.id, outcome: outcome, run: turn.item.run)
        player.report(entry, completion.result)
    }
    callbacks.showProgress = { player.showProgress($0, among: cases.count, playing: $1) }
    let empty = Report(version: version, seed: player.seed, shard: selection.shard)
    let order = SuiteScheduler.Order(isSuites: player.isVirtual, endsAtFault: invocation.has("--until-fail"))
    let runner = CaseRunner(cases, into: empty, runOfCase: \.run)
    let scheduler = try SuiteScheduler(runner, jobs: jobs, order, callbacks).run(signals)
    ProgressBar.remove()
    var report = scheduler.report(of: cases.count)
    player.describeTime(in: &report)
    player.reportEnd(report)
    try reports.write(report)
    if let obstacle = scheduler.obstacle { throw obstacle }
    for gap in report.gaps { Console.warn("\(gap)") }
    if let interruption = scheduler.interruption {
        if report.gaps.isEmpty { Console.warn("interrupted, after all cases were run") }
        return interruption
    }
    if report.code == .environment { Console.warn("nothing was judged: all cases were skipped") }
    return scheduler.failure ?? report.code
}

/// Runs one scenario, and prints what the client reports.
package func runSingleCase(_ item: Case, _ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let player = try CasePlayer(invocation, keeping: [])
    let plan = try RunPlan(item.path, invocation)
    _ = try jobs(invocation, player)
    let reports = try ReportFiles(invocation)
    let callbacks = SuiteScheduler.Callbacks(
        play: { player.play(alone: plan, $0, $1) }, interruption: { Console.interruption },
        report: { player.reportAlone($0.item, $1) })
    let runner = CaseRunner([item], into: Report(version: version))
    let scheduler = try SuiteScheduler(runner, jobs: 1, SuiteScheduler.Order(), callbacks).run(Signals())
    var report = scheduler.report(of: 1)
    player.describeTime(in: &report)
    if invocation.has("--json") { player.reportEnd(report) }
    try reports.write(report)
    if let interruption = scheduler.interruption, interruption != .signal(SIGPIPE) {
        Console.warn("interrupted: what was not decided by then is inconclusive")
    }
    if let obstacle = scheduler.obstacle { throw obstacle }
    switch scheduler.last {
    case .played(let result): return result.code
    case .failed(let failure, _): throw failure
    case nil: return .internalError
    }
}

private func jobs(_ invocation: Invocation, _ player: CasePlayer) throws(Obstacle) -> Int {
    let range = 1...64
    let jobs = try orFail {
        try invocation.value("--jobs", as: "a whole number from 1 to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
    guard let jobs, jobs > 1 else { return 1 }
    for (name, why) in [("--ask", "asks one operator"), ("--radio", "uses one radio per device")]
    where invocation.has(name) {
        throw Obstacle(.usage, "--jobs cannot be combined with \(name), which \(why)")
    }
    // With vhci or bluez, each case has its own interface or bus.
    for name in ["--said", "--controller", "--system"]
    where invocation.has(name) && ![["vhci"], ["bluez"]].contains(invocation.texts(name)) {
        throw Obstacle(
            .usage, "--jobs cannot be combined with \(name): only one case can listen at the address")
    }
    if player.verbosity == .verbose {
        throw Obstacle(.usage, "--jobs cannot be combined with --verbose, which prints one case at a time")
    }
    return jobs
}
