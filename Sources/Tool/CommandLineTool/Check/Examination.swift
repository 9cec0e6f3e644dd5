import Arguments
import Checks
import Conformance
import EventLog
import Expectations
import GATT
import Glibc
import Scenarios
import Simulation
import Spelling
import VirtualWorld

/// Checks that are asked of a scenario's peripheral one after the other, each in a world of its own.
struct Examination {
    private let played: Played
    private let checks: [Check]
    private let device: Int
    private let wording: CheckFormatter
    private let reports: ReportFiles

    init(_ played: Played, _ checks: [Check], _ invocation: Invocation) throws(CommandFailure) {
        (self.played, self.checks, wording) = (played, checks, try CheckFormatter(invocation))
        reports = try ReportFiles(invocation)
        let devices = played.scenario.devices
        guard let device = played.scenario.target ?? devices.firstIndex(where: { $0.role == .peripheral }) else {
            throw CommandFailure(.usage, "lubdub: \(played.path) has no peripheral to check")
        }
        self.device = device
    }

    /// Asks all of them: how it ended.
    func play() throws(CommandFailure) -> ExitCode {
        let signals = Signals()
        var report = Report(version: version, seed: played.seed)
        var interruption: ExitCode?
        for check in checks {
            interruption = signals.take().map { .signal($0) } ?? (Console.failure == EPIPE ? .signal(SIGPIPE) : nil)
            guard interruption == nil else { break }
            let outcome = try ask(check)
            var packets: [String] = []
            if let finding = outcome.finding { packets = try trace(of: check, at: finding.instant) }
            let replay = played.replay(of: check.id)
            for line in wording.lines(outcome, replay: replay, trace: packets) { Console.print(line) }
            report.add(check.id, Outcome(outcome, replay: replay, seed: played.seed, trace: packets))
        }
        if interruption == nil { Console.print(report.summary.words()) }
        try reports.write(report)
        return interruption ?? report.code
    }

    private func ask(_ check: Check) throws(CommandFailure) -> Check.Outcome {
        var world = try played.world()
        let files = try LogFiles(played, &world)
        var (outcome, after) = try ask(check, in: world)
        try files.close(&after, status: Report.Tally([outcome.verdict]).code.status)
        return outcome
    }

    private func ask(_ check: Check, in world: World) throws(CommandFailure) -> (Check.Outcome, World) {
        do throws(AttributeTable.DefinitionError) {
            let (outcome, after) = try check.run(on: device, in: world, isStrict: played.isStrict)
            return (outcome, after)
        } catch { throw CommandFailure(.inner, "lubdub: the examiner has no room for its attributes: \(error)") }
    }

    /// The last packets of the central before a fail: the same case again, for it is the same to the octet.
    private func trace(of check: Check, at instant: Instant) throws(CommandFailure) -> [String] {
        let recent = RecentPackets(of: UInt16(clamping: played.scenario.devices.count), until: instant)
        var world = try played.world()
        world.packets = PacketLog { recent.take($0) }
        _ = try ask(check, in: world)
        return recent.lines(until: instant)
    }
}
