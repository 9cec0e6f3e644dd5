package import Arguments
import Bluetooth
package import Checks
package import CommandSupport
import Conformance
import EventLog
import Expectations
import Glibc
package import ScenarioRuns
import Scenarios
import Simulation
import Synchronization
import Terminal
import TextFormatting
import VirtualWorld

/// Runs checks on a real peripheral, in real time.
struct RealPeripheralTest {
    let checks: [Check]
    let peer: Peer
    let isStrict: Bool
    let formatter: CheckFormatter
    let reports: ReportFiles
    /// The options of a command line that reaches the peripheral again.
    let options: [String]
    /// How long to look for the peripheral at first.
    let timeout: Duration

    func run(_ host: RealTimeHost, _ recent: RecentPackets) throws(CommandFailure) -> ExitCode {
        showProgress(host, "looking for \(peer)")
        defer { Console.show(last: nil) }
        let scan = PeripheralScan(for: peer, by: host, within: timeout)
        var runner = CaseRunner(checks, into: Report(version: version), rank: \.rank)
        if !host.isOver, let obstacle = obstacle(scan, host) {
            try reports.write(runner.report)
            throw obstacle
        }
        let begin = host.now
        var examination = Examination(of: peer, by: host, isStrict: isStrict, running: checks)
        defer { examination.end() }
        while !host.isOver, let turn = runner.next() {
            showProgress(host, "\(runner.count + 1) of \(checks.count): \(turn.item.id)")
            let outcome = examination.outcome(of: turn.item)
            if host.isOver { break }
            report(turn, outcome, recent, &runner)
            guard outcome.verdict == .fail || outcome.verdict == .inconclusive, outcome.end != nil, runner.hasNext
            else { continue }
            // Do not wait for a lost peripheral in each of the other checks.
            showProgress(host, "looking for \(peer) again")
            if !PeripheralScan(for: peer, by: host, within: PeripheralEndpoint.scanTimeout).isFound, !host.isOver {
                giveUp(after: turn.item, recent, &runner)
            }
        }
        return try end(host, runner.report, recent, since: begin)
    }

    /// Reports the outcome of a check, unless the check runs once more.
    private func report(
        _ turn: CaseRunner<Check>.Turn, _ outcome: Check.Outcome, _ recent: RecentPackets,
        _ runner: inout CaseRunner<Check>
    ) {
        let end = outcome.finding?.instant ?? (outcome.verdict == .inconclusive ? outcome.end : nil)
        let packets = end.map { recent.lines(until: $0) } ?? []
        let replay = replay(of: outcome.check.id)
        let reported = Outcome(outcome, replay: replay, seed: nil, trace: packets)
        guard runner.ended(turn, reported, isDisturbed: outcome.isExcused) else {
            return Console.warn("\(outcome.check.id): \(outcome.reason ?? ""); it runs again at the end")
        }
        for line in formatter.lines(outcome, replay: replay, trace: packets) { Console.print(line) }
    }

    private func giveUp(after last: Check, _ recent: RecentPackets, _ runner: inout CaseRunner<Check>) {
        let reason = "\(peer) was not found any more after \(last.id)"
        while let turn = runner.next() {
            report(turn, Check.Outcome(turn.item, inconclusive: reason), recent, &runner)
        }
    }

    private func end(
        _ host: RealTimeHost, _ report: Report, _ recent: RecentPackets, since begin: Instant
    ) throws(CommandFailure) -> ExitCode {
        let requests = recent.requests
        let effort = [host.connections.counted("connection")] + (requests > 0 ? [requests.counted("request")] : [])
        Console.print("\(effort.joined(separator: ", ")), \(begin.duration(to: host.now).components.seconds) s")
        Console.print("\(report.summary.words())")
        try reports.write(report)
        let count = report.summary.total
        if count < checks.count { Console.warn("interrupted: \(count) of \(checks.count) checks ran") }
        if case .failure(let reason)? = host.time.reason { throw CommandFailure(.environment, reason) }
        return host.time.reason?.code ?? report.code
    }

    private func obstacle(_ scan: PeripheralScan, _ host: RealTimeHost) -> CommandFailure? {
        guard let address = scan.address else {
            let found = scan.others.isEmpty ? "none" : scan.others.joined(separator: ", ")
            return CommandFailure(
                .environment, "no peripheral \(peer) found within \(timeout.components.seconds) s. Found: \(found)")
        }
        guard host.isTaken(address) else { return nil }
        let number = "\(address)".prefix { $0 != "/" }
        return CommandFailure(
            .environment,
            "another program of this machine is connected to \(peer), and checks need their own connections: disconnect "
                + "it, for example with bluetoothctl disconnect \(number)")
    }

    /// Shows on a terminal what is happening, and for how long.
    private func showProgress(_ host: RealTimeHost, _ activity: String) {
        guard isatty(STDERR_FILENO) == 1, Paint.canErase else { return }
        let begin = host.now
        let show = { [time = host.time] in
            Console.show(last: "\(activity), \(begin.duration(to: time.now).components.seconds) s")
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
    private let configuration: RunConfiguration
    private let checks: [Check]
    private let device: Int
    private let formatter: CheckFormatter
    private let reports: ReportFiles

    /// Checks the scenario's target, or its first peripheral.
    package init(_ configuration: RunConfiguration, _ checks: [Check], _ invocation: Invocation) throws(CommandFailure)
    {
        (self.configuration, self.checks, formatter) = (configuration, checks, try CheckFormatter(invocation))
        reports = try ReportFiles(invocation)
        let devices = configuration.scenario.devices
        guard let device = configuration.scenario.target ?? devices.firstIndex(where: { $0.role == .peripheral }) else {
            throw CommandFailure(
                .usage, "\(configuration.path) has no peripheral to check: add a device with the role peripheral")
        }
        self.device = device
    }

    package func run() throws(CommandFailure) -> ExitCode {
        let signals = Signals()
        var report = Report(version: version, seed: configuration.seed)
        var interruption: ExitCode?
        for check in checks {
            interruption = signals.take().map { .signal($0) } ?? (Console.failure == EPIPE ? .signal(SIGPIPE) : nil)
            guard interruption == nil else { break }
            let outcome = try run(check)
            var packets: [String] = []
            if let finding = outcome.finding { packets = try trace(of: check, at: finding.instant) }
            let replay = configuration.replay(of: check.id)
            for line in formatter.lines(outcome, replay: replay, trace: packets) { Console.print(line) }
            report.add(check.id, Outcome(outcome, replay: replay, seed: configuration.seed, trace: packets))
        }
        if interruption == nil { Console.print("\(report.summary.words())") }
        try reports.write(report)
        return interruption ?? report.code
    }

    private func run(_ check: Check) throws(CommandFailure) -> Check.Outcome {
        var world = try configuration.world()
        let files = try LogFiles(configuration, &world, inRealTime: false)
        var (outcome, after) = try run(check, in: world)
        try files.close(&after, status: Report.Tally([outcome.verdict]).code.status)
        return outcome
    }

    private func run(_ check: Check, in world: World) throws(CommandFailure) -> (Check.Outcome, World) {
        try orFail(.internalError, "the attributes of the central do not fit: ") {
            let (outcome, after) = try check.run(on: device, in: world, isStrict: configuration.isStrict)
            return (outcome, after)
        }
    }

    /// The last packets of the central before a failure.  The check runs again for that, with the same octets.
    private func trace(of check: Check, at instant: Instant) throws(CommandFailure) -> [String] {
        let recent = RecentPackets(of: UInt16(clamping: configuration.scenario.devices.count), until: instant)
        var world = try configuration.world()
        world.packets = PacketLog { recent.take($0) }
        _ = try run(check, in: world)
        return recent.lines(until: instant)
    }
}

/// Formats outcomes of checks for people.
struct CheckFormatter {
    let paint: Paint
    private let isQuiet: Bool

    init(_ invocation: Invocation) throws(CommandFailure) {
        isQuiet = invocation.has("--quiet")
        paint = try Paint(invocation, for: Console.descriptor)
    }

    func lines(_ outcome: Check.Outcome, replay: String, trace packets: [String]) -> [TerminalLine] {
        let (check, verdict) = (outcome.check, outcome.verdict)
        guard !isQuiet || (verdict != .pass && verdict != .skip) else { return [] }
        let style: Paint.Style =
            switch verdict {
            case .pass: .state
            case .skip: .quiet
            case .fail, .inconclusive, .error: .warning
            }
        let label = verdict == .inconclusive ? verdict.rawValue : verdict.rawValue.padded(to: 4)
        var lines: [TerminalLine] = ["\(paint(label, style))  \(check.id)  \(check.title)"]
        if let reason = outcome.reason { lines[0] += ": \(reason)" }
        guard verdict == .fail || verdict == .inconclusive || verdict == .error else { return lines }
        if let finding = outcome.finding {
            lines.append("      expected  \(finding.expected)")
            lines.append("      seen      \(finding.seen)")
            lines.append("      at        \(finding.instant) s")
        }
        lines.append("      requires  \(check.requirement)")
        lines += CaseFormatter.trace(packets, paint, indentedBy: 6, label: 10)
        lines.append("      replay: \(replay)")
        return lines
    }
}

extension Outcome {
    /// The outcome of a check as a case of a report, with the packets before a failure.
    init(_ outcome: Check.Outcome, replay: String, seed: UInt64?, trace: [String]) {
        let seen = outcome.finding.map { Reason(expected: $0.expected, seen: $0.seen) }
        let finding = CaseFinding(
            id: nil, requirement: outcome.check.requirement, verdict: outcome.verdict,
            why: seen ?? outcome.reason.map { Reason(seen: $0) }, at: outcome.finding?.instant, trace: trace)
        self.init(
            judging: [finding], title: outcome.check.title, replay: replay, seed: seed, duration: outcome.duration)
    }
}

/// The last packets between a central and its controller, in words, for the report of a failure.
final class RecentPackets: Sendable {
    private static let shown = 6
    private static let kept = 256  // some packets follow the failure and end the connection

    private let central: UInt16
    private let limit: Instant
    private let packets = Mutex<[(instant: Instant, line: String)]>([])
    private let requestCount = Mutex(0)

    init(of central: UInt16, until limit: Instant = .never) { (self.central, self.limit) = (central, limit) }

    func take(_ chunk: PacketChunk) {
        for record in chunk.records where record.controller == central && record.instant <= limit {
            guard let packet = PacketDescription(unlessRoutine: record, in: chunk) else { continue }
            if packet.isFromHost, packet.name.hasSuffix("Request") { requestCount.withLock { $0 += 1 } }
            let line = "\(record.instant)  \(Narrator.words(packet))"
            packets.withLock { packets in
                if packets.count == Self.kept { packets.removeFirst() }
                packets.append((record.instant, line))
            }
        }
    }

    /// The requests that the central has sent.
    var requests: Int { requestCount.withLock { $0 } }

    func lines(until instant: Instant) -> [String] {
        packets.withLock { $0.filter { $0.instant <= instant }.suffix(Self.shown).map(\.line) }
    }
}
