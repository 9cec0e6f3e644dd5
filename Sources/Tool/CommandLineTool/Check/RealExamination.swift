import Arguments
import Bluetooth
import Checks
import Conformance
import Expectations
import Glibc
import Simulation
import Spelling

/// Checks that are asked of a real peripheral one after the other, in real time, each in a connection of its own.
struct RealExamination {
    let checks: [Check]
    let peer: Peer
    let isStrict: Bool
    let wording: CheckFormatter
    let reports: ReportFiles
    /// The words of the command line that reach the same peripheral.
    let words: [String]
    /// So long the peripheral has to come at first.
    let patience: Duration

    /// Asks all of them: how it ended.
    func play(_ radio: any LiveRadio, _ recent: RecentPackets) throws(CommandFailure) -> ExitCode {
        showProgress(radio, "looking for \(peer)")
        defer { Console.show(last: nil) }
        let lookout = Lookout(for: peer, by: radio, within: patience)
        var runner = CaseRunner(checks, into: Report(version: version))
        if !radio.isOver, let obstacle = obstacle(lookout, radio) {
            try reports.write(runner.report)
            throw obstacle
        }
        while !radio.isOver, let turn = runner.next() {
            showProgress(radio, "\(runner.count + 1) of \(checks.count): \(turn.item.id)")
            let outcome = turn.item.run(on: peer, over: radio, isStrict: isStrict)
            if radio.isOver { break }
            settle(turn, outcome, recent, &runner)
            guard outcome.verdict == .fail || outcome.verdict == .inconclusive, runner.hasNext else { continue }
            // Who has gone for good is not waited for in each of the others.
            showProgress(radio, "looking whether \(peer) is still there")
            if !Lookout(for: peer, by: radio, within: Self.absence).isFound, !radio.isOver {
                giveUp(since: turn.item, recent, &runner)
            }
        }
        return try end(radio, runner.report)
    }

    /// The longest advertising interval twice.  Core 6.0, Vol 6, Part B, section 4.4.2.2.
    private static let absence = Duration.seconds(21)

    /// Tells what came of a check, unless it is asked once more.
    private func settle(
        _ turn: CaseRunner<Check>.Turn, _ outcome: Check.Outcome, _ recent: RecentPackets,
        _ runner: inout CaseRunner<Check>
    ) {
        let packets = outcome.finding.map { recent.lines(until: $0.instant) } ?? []
        let replay = replay(of: outcome.check.id)
        let reported = Outcome(outcome, replay: replay, seed: nil, trace: packets)
        guard runner.ended(turn, reported, isDisturbed: outcome.isExcused) else {
            return Console.complain(
                "lubdub: \(outcome.check.id): \(outcome.reason ?? ""); it is asked again at the end")
        }
        for line in wording.lines(outcome, replay: replay, trace: packets) { Console.print(line) }
    }

    private func giveUp(since last: Check, _ recent: RecentPackets, _ runner: inout CaseRunner<Check>) {
        let reason = "\(peer) has not been heard any more since \(last.id)"
        while let turn = runner.next() {
            settle(turn, Check.Outcome(turn.item, inconclusive: reason), recent, &runner)
        }
    }

    private func end(_ radio: any LiveRadio, _ report: Report) throws(CommandFailure) -> ExitCode {
        Console.print(report.summary.words())
        try reports.write(report)
        let count = report.summary.total
        if count < checks.count {
            Console.complain("lubdub: ended early: \(count) of \(checks.count) checks have been asked")
        }
        if case .failure(let why)? = radio.time.reason { throw CommandFailure(.environment, "lubdub: \(why)") }
        return radio.time.reason?.code ?? report.code
    }

    /// Why nothing can be asked; nil when it can.
    private func obstacle(_ lookout: Lookout, _ radio: any LiveRadio) -> CommandFailure? {
        guard lookout.isFound else { return missing(lookout) }
        return lookout.address.flatMap { radio.isTaken($0) ? taken($0) : nil }
    }

    private func missing(_ lookout: Lookout) -> CommandFailure {
        let others = lookout.others
        let heard = others.isEmpty ? "nobody was" : "these were: \(others.joined(separator: ", "))"
        return CommandFailure(
            .environment, "lubdub: \(peer) was not heard within \(patience.components.seconds) s; \(heard)")
    }

    private func taken(_ address: DeviceAddress) -> CommandFailure {
        let number = "\(address)".prefix { $0 != "/" }
        return CommandFailure(
            .environment,
            "lubdub: \(peer) is connected to another program of this machine, and each check needs a connection of its "
                + "own: end that one, as by bluetoothctl disconnect \(number)")
    }

    /// Says on a terminal what is under way, and since when.
    private func showProgress(_ radio: any LiveRadio, _ what: String) {
        guard isatty(STDERR_FILENO) == 1, Paint.canErase else { return }
        let begin = radio.now
        let show = { [time = radio.time] in
            Console.show(last: "\(what), \(begin.duration(to: time.now).components.seconds) s")
        }
        show()
        radio.time.tick = show
    }

    private func replay(of id: String) -> String {
        (["lubdub", "check"] + words + (isStrict ? ["--strict"] : []) + ["--only", id]).map(\.forShell)
            .joined(separator: " ")
    }
}
