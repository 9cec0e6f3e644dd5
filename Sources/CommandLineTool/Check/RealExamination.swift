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
    let wording: CheckWording
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
        var session = Session(waiting: checks, report: Report(version: version))
        if !radio.isOver, let obstacle = obstacle(lookout, radio) {
            try reports.write(session.report)
            throw obstacle
        }
        while !radio.isOver, let check = session.next() {
            let place = "\(session.place) of \(checks.count + session.again.count): \(check.id)"
            showProgress(radio, place)
            let outcome = check.ask(of: peer, by: radio, isStrict: isStrict)
            if radio.isOver { break }
            if session.isAskedAgain(outcome) {
                Console.complain("lubdub: \(check.id): \(outcome.reason ?? ""); it is asked again at the end")
                continue
            }
            tell(outcome, recent, &session)
            guard outcome.verdict == .fail || outcome.verdict == .inconclusive, session.hasNext else { continue }
            // Who has gone for good is not waited for in each of the others.
            showProgress(radio, "looking whether \(peer) is still there")
            if !Lookout(for: peer, by: radio, within: Self.absence).isFound, !radio.isOver {
                giveUp(since: check, recent, &session)
            }
        }
        return try end(radio, session)
    }

    /// The longest advertising interval twice.  Core 6.0, Vol 6, Part B, section 4.4.2.2.
    private static let absence = Duration.seconds(21)

    /// What is still to be asked, and what came of the rest.
    private struct Session {
        var waiting: [Check]
        /// Those of which nothing could be told, since the machine stood still.
        var again: [Check] = []
        var place = 0
        var report: Report
        private var isSecondTime = false

        init(waiting: [Check], report: Report) { (self.waiting, self.report) = (waiting, report) }

        var hasNext: Bool { !waiting.isEmpty || !(isSecondTime || again.isEmpty) }

        mutating func next() -> Check? {
            if waiting.isEmpty, !isSecondTime { (waiting, isSecondTime) = (again, true) }
            guard !waiting.isEmpty else { return nil }
            place += 1
            return waiting.removeFirst()
        }

        /// Whether it is, for this outcome is not final.
        mutating func isAskedAgain(_ outcome: Check.Outcome) -> Bool {
            guard outcome.isExcused, !isSecondTime else { return false }
            again.append(outcome.check)
            return true
        }
    }

    private func tell(_ outcome: Check.Outcome, _ recent: RecentPackets, _ session: inout Session) {
        let packets = outcome.finding.map { recent.lines(until: $0.instant) } ?? []
        let replay = replay(of: outcome.check.id)
        for line in wording.lines(outcome, replay: replay, trace: packets) { Console.print(line) }
        session.report.add(outcome.check.id, Outcome(outcome, replay: replay, seed: nil, trace: packets))
    }

    private func giveUp(since last: Check, _ recent: RecentPackets, _ session: inout Session) {
        let reason = "\(peer) has not been heard any more since \(last.id)"
        while let check = session.next() {
            tell(Check.Outcome(check, inconclusive: reason), recent, &session)
        }
    }

    private func end(_ radio: any LiveRadio, _ session: Session) throws(CommandFailure) -> ExitCode {
        Console.print(session.report.summary.words())
        try reports.write(session.report)
        let count = session.report.summary.total
        if count < checks.count {
            Console.complain("lubdub: ended early: \(count) of \(checks.count) checks have been asked")
        }
        if case .failure(let why)? = radio.time.reason { throw CommandFailure(.environment, "lubdub: \(why)") }
        return radio.time.reason?.code ?? session.report.code
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
