package import Basics
import Bluetooth
package import Cases
package import Checks
package import CommandSupport
import Conformance
import Expectations
import Glibc
import Linux
import ScenarioModel
import Screens
import VirtualWorld

/// Runs checks on a real peripheral, in real time.
struct RealPeripheralTest {
    let checks: [Check]
    let peer: Peer
    let isStrict: Bool
    var printer: CheckPrinter
    let baseline: Baseline?
    let reports: ReportFiles
    /// The radio to the peripheral, in words.
    let radio: String
    /// The options of a command line that reaches the peripheral again.
    let options: [String]
    /// How long to look for the peripheral at first.
    let timeout: Duration
    /// How long all of it may take.
    let limit: Duration?
    /// The last lines that the peripheral's program has written to its standard error, if it was started.
    var lastErrors: () -> [String] = { [] }

    mutating func run(_ host: RealTimeHost, _ recent: RecentPackets) throws(Obstacle) -> ExitCode {
        showProgress(host, "looking for \(peer)")
        defer { Console.show(last: nil) }
        let scan = PeripheralScan(for: peer, by: host, within: timeout)
        var runner = CaseRunner(checks, into: Report(version: version), rank: \.rank)
        if !host.isOver || host.time.isUp, let obstacle = obstacle(scan, host) {
            var report = runner.report
            report.gaps = ["0 of \(checks.count) checks ran: \(obstacle)"]
            try reports.write(report)
            throw obstacle
        }
        let begin = host.now
        runner.empty.facts = facts(scan)
        var examination = Examination(of: peer, by: host, isStrict: isStrict, running: checks)
        defer { examination.end() }
        while !host.isOver, let turn = runner.next() {
            showProgress(
                host, "\(runner.count + 1) of \(checks.count): \(turn.item.id)",
                part: Double(runner.count) / Double(checks.count),
                left: examination.estimate(for: [turn.item] + runner.remaining))
            var outcome = examination.outcome(of: turn.item)
            if host.isOver {
                if host.time.isUp { report(turn, unjudged(turn.item, "was not finished"), recent, &runner) }
                break
            }
            guard outcome.verdict == .fail || outcome.verdict == .inconclusive, outcome.end != nil, runner.hasNext
            else {
                report(turn, outcome, recent, &runner)
                continue
            }
            // Do not wait for a lost peripheral in each of the other checks.
            let isLost = !isFoundAgain(host) && !host.isOver
            if !isLost, examination.absence != nil { outcome = excused(outcome) }
            report(turn, outcome, recent, &runner)
            if isLost { giveUp(after: turn.item, examination.absence, recent, &runner) }
        }
        if host.time.isUp { leaveOut(examination, recent, &runner) }
        if let identity = examination.identity {
            runner.empty.facts += identity.descriptions.map { Report.Fact($0.uuid.name, $0.text) }
            runner.empty.attributes = identity.attributes
        }
        return try end(host, runner.report, recent, since: begin)
    }

    /// What identifies the run.
    private func facts(_ scan: PeripheralScan) -> [Report.Fact] {
        return [
            Report.Fact("peer", scan.address.map { "\($0)" } ?? "\(peer)"),
            Report.Fact("radio", radio),
            Report.Fact("date", presentTime),
            Report.Fact(
                "command", (["lubdub"] + OwnProgram.words).map(\.forShell).joined(separator: " ")),
        ]
    }

    /// Reports the outcome of a check, unless the check runs once more.
    private mutating func report(
        _ turn: CaseRunner<Check>.Turn, _ outcome: Check.Outcome, _ recent: RecentPackets,
        _ runner: inout CaseRunner<Check>
    ) {
        let end = outcome.finding?.instant ?? (outcome.verdict == .inconclusive ? outcome.end : nil)
        let packets = end.map { recent.lines(until: $0, showing: outcome.finding?.evidence ?? []) } ?? []
        let replay = replay(of: outcome.check.id)
        let isKnown = baseline?.accepts(outcome) == true
        var reported = Outcome(outcome, isKnown: isKnown, replay: replay, seed: nil, trace: packets)
        if outcome.verdict == .fail || outcome.verdict == .inconclusive { reported.clientErrors = lastErrors() }
        guard runner.ended(turn, reported, isDisturbed: outcome.isExcused) else {
            return Console.warn("\(outcome.check.id): \(outcome.reason ?? ""); it runs again at the end")
        }
        printer.show(outcome, as: reported, isKnown: isKnown, replay: replay, trace: packets)
    }

    private func isFoundAgain(_ host: RealTimeHost) -> Bool {
        showProgress(host, "looking for \(peer) again")
        return PeripheralScan(for: peer, by: host, within: PeripheralEndpoint.scanTimeout).isFound
    }

    /// The outcome of a check that did not find the peripheral again, if it is found now: a person may have woken it.
    private func excused(_ outcome: Check.Outcome) -> Check.Outcome {
        guard outcome.verdict == .fail else { return outcome }
        return Check.Outcome(
            outcome.check,
            inconclusive:
                "\(peer) advertised again only later: does it wait for a button, or for somebody who wears it?")
    }

    /// Leaves out the other checks: that the peripheral is lost is one problem.
    private mutating func giveUp(
        after last: Check, _ absence: String?, _ recent: RecentPackets, _ runner: inout CaseRunner<Check>
    ) {
        let reason = absence ?? "\(peer) was not found any more after \(last.id)"
        var count = 0
        while let turn = runner.next() {
            report(turn, Check.Outcome(turn.item, leftOut: reason), recent, &runner)
            count += 1
        }
        runner.empty.gaps.append("\(count) of \(checks.count.counted("check")) did not run: \(reason)")
    }

    /// Reports the checks that the limit prevents from running, but not as skipped: an incomplete check does not succeed.
    private mutating func leaveOut(
        _ examination: Examination, _ recent: RecentPackets, _ runner: inout CaseRunner<Check>
    ) {
        var count = 0
        while let turn = runner.next() {
            let known = examination.knownOutcome(of: turn.item)
            report(turn, known ?? unjudged(turn.item, "did not run"), recent, &runner)
            if known == nil { count += 1 }
        }
        let checks = checks.count
        Console.warn("the time of --for is over: \(count) of \(checks.counted("check")) did not run")
    }

    private func unjudged(_ check: Check, _ fate: String) -> Check.Outcome {
        Check.Outcome(check, inconclusive: "not judged: it \(fate) within \((limit ?? .zero).formatted) (--for)")
    }

    private func end(
        _ host: RealTimeHost, _ judged: Report, _ recent: RecentPackets, since begin: Instant
    ) throws(Obstacle) -> ExitCode {
        var report = judged
        report.noteInterruption(of: checks)
        let requests = recent.requests
        let effort = [host.connections.counted("connection")] + (requests > 0 ? [requests.counted("request")] : [])
        let seconds = host.time.passed(since: begin).components.seconds
        printer.end(
            report, facts: ["\(effort.joined(separator: ", ")), \(seconds) s"] + (try Baseline.facts(report, baseline)))
        try reports.write(report)
        for gap in report.gaps { Console.warn("\(gap)") }
        if case .failure(let reason)? = host.time.reason { throw Obstacle(.environment, reason) }
        // A run whose fails are known is not a success if it is incomplete.
        let isIncomplete = !report.gaps.isEmpty && report.code == .success
        return host.time.reason?.code ?? (isIncomplete ? .environment : report.code)
    }

    private func obstacle(_ scan: PeripheralScan, _ host: RealTimeHost) -> Obstacle? {
        guard let address = scan.address else {
            let found = scan.others.isEmpty ? "none" : scan.others.joined(separator: ", ")
            let time = min(timeout, limit ?? timeout).formatted
            return Obstacle(.environment, "no peripheral \(peer) found within \(time). Found: \(found)")
        }
        guard host.isTaken(address) else { return nil }
        let number = "\(address)".prefix { $0 != "/" }
        return Obstacle(
            .environment,
            "another program of this machine is connected to \(peer), and checks need their own connections: disconnect "
                + "it, for example with bluetoothctl disconnect \(number)")
    }

    /// Shows on a terminal what is happening, for how long, and about how long the rest takes.
    private func showProgress(
        _ host: RealTimeHost, _ activity: String, part: Double? = nil, left: @autoclosure () -> Duration? = nil
    ) {
        guard isatty(STDERR_FILENO) == 1, Paint.canErase else { return }
        let (begin, left) = (host.now, left())
        let show = { [time = host.time] in
            let passed = begin.duration(to: time.now)
            // A check may take longer than the estimate.
            let rest = left.map { "; about \(max(1, ($0 - passed).components.seconds)) s left" } ?? ""
            ProgressBar.show(part, "\(activity), \(passed.components.seconds) s\(rest)")
        }
        show()
        host.time.tick = show
    }

    private func replay(of id: String) -> String {
        (["lubdub", "check"] + options + (isStrict ? ["--strict"] : []) + ["--only", id]).map(\.forShell)
            .joined(separator: " ")
    }
}

/// Runs checks on a scenario's peripheral, each in its own world.
package struct SimulatedPeripheralTest {
    private let plan: RunPlan
    private let checks: [Check]
    private let device: Int
    private var printer: CheckPrinter
    private let baseline: Baseline?
    private let reports: ReportFiles

    /// Checks the scenario's target, or its first peripheral.
    package init(_ plan: RunPlan, _ checks: [Check], _ invocation: Invocation) throws(Obstacle) {
        (self.plan, self.checks, printer) = (plan, checks, try CheckPrinter(invocation))
        baseline = try invocation.text("--baseline").map(Baseline.init(named:))
        reports = try ReportFiles(invocation)
        let devices = plan.scenario.devices
        guard let device = plan.scenario.target ?? devices.firstIndex(where: { $0.role == .peripheral }) else {
            throw Obstacle(
                .usage, "\(plan.path) has no peripheral to check: add a device with the role peripheral")
        }
        self.device = device
    }

    package mutating func run() throws(Obstacle) -> ExitCode {
        let signals = Signals()
        var report = Report(version: version, seed: plan.seed)
        var (interruption, absence): (ExitCode?, String?)
        let bar = ProgressBar()
        defer { if bar != nil { ProgressBar.remove() } }
        for (index, check) in checks.enumerated() {
            bar?.show(Double(index) / Double(checks.count), "\(index + 1) of \(checks.count): \(check.id)")
            interruption = signals.take().map { .signal($0) } ?? Console.interruption
            guard interruption == nil else { break }
            let outcome = try run(check, knowing: &absence)
            var packets: [String] = []
            if let finding = outcome.finding { packets = try trace(of: check, finding) }
            let replay = plan.replay(of: check.id)
            let isKnown = baseline?.accepts(outcome) == true
            let reported = Outcome(
                outcome, isKnown: isKnown, replay: replay, seed: plan.seed, trace: packets)
            printer.show(outcome, as: reported, isKnown: isKnown, replay: replay, trace: packets)
            report.add(check.id, reported)
        }
        report.noteInterruption(of: checks)
        if interruption == nil { printer.end(report, facts: try Baseline.facts(report, baseline)) }
        try reports.write(report)
        return interruption ?? report.code
    }

    private func run(_ check: Check, knowing absence: inout String?) throws(Obstacle) -> Check.Outcome {
        var world = try plan.world()
        let files = try LogFiles(plan, &world, for: RunListener(), inRealTime: false)
        var (outcome, after) = try run(check, in: world, knowing: &absence)
        try files.close(&after, status: Report.Tally([outcome.verdict]).code.status)
        return outcome
    }

    private func run(
        _ check: Check, in world: World, knowing absence: inout String?
    ) throws(Obstacle) -> (Check.Outcome, World) {
        try orFail(.internalError, "the attributes of the central do not fit: ") {
            let (outcome, after) = try check.run(on: device, in: world, isStrict: plan.isStrict, knowing: &absence)
            return (outcome, after)
        }
    }

    /// The last packets of the central before a failure.  The check runs again for that, with the same octets.
    private func trace(of check: Check, _ finding: Finding) throws(Obstacle) -> [String] {
        let recent = RecentPackets(of: UInt16(clamping: plan.scenario.devices.count), until: finding.instant)
        var world = try plan.world()
        world.packets = PacketLog { recent.take($0) }
        var absence: String?
        _ = try run(check, in: world, knowing: &absence)
        return recent.lines(until: finding.instant, showing: finding.evidence)
    }
}

extension Report {
    /// Notes that not all checks ran, if some have no outcome.
    fileprivate mutating func noteInterruption(of checks: [Check]) {
        guard cases.count < checks.count else { return }
        gaps = ["interrupted: \(cases.count) of \(checks.count) checks ran"]
    }
}

extension Outcome {
    /// The outcome of a check as a case of a report, with the packets before a failure.
    init(_ outcome: Check.Outcome, isKnown: Bool, replay: String, seed: UInt64?, trace: [String]) {
        let seen = outcome.finding.map { Reason(expected: $0.expected, seen: $0.seen) }
        let finding = CaseFinding(
            id: nil, requirement: outcome.check.requirement, verdict: outcome.verdict,
            why: seen ?? outcome.reason.map { Reason(seen: $0) }, at: outcome.finding?.instant, trace: trace)
        self.init(
            judging: [finding], title: outcome.check.title, replay: replay, seed: seed, duration: outcome.duration)
        self.isKnown = isKnown
    }
}
