package import Arguments
package import Checks
package import CommandSupport
import Conformance
import EventLog
import Expectations
import Glibc
package import ScenarioRuns
import Scenarios
import Simulation
import TextFormatting
import VirtualWorld

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
        if interruption == nil { Console.print(report.summary.words()) }
        try reports.write(report)
        return interruption ?? report.code
    }

    private func run(_ check: Check) throws(CommandFailure) -> Check.Outcome {
        var world = try configuration.world()
        let files = try LogFiles(configuration, &world)
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
