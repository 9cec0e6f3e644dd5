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
import Synchronization
import VirtualWorld

/// Checks that are asked of a scenario's peripheral one after the other, each in a world of its own.
struct Examination {
    private let played: Played
    private let checks: [Check]
    private let device: Int
    private let isQuiet: Bool
    private let paint: Paint

    init(_ played: Played, _ checks: [Check], _ invocation: Invocation) throws(CommandFailure) {
        (self.played, self.checks, isQuiet) = (played, checks, invocation.has("--quiet"))
        paint = try Paint(invocation, for: Console.descriptor)
        let devices = played.scenario.devices
        guard let device = played.scenario.target ?? devices.firstIndex(where: { $0.role == .peripheral }) else {
            throw CommandFailure(.usage, "lubdub: \(played.path) has no peripheral to check")
        }
        self.device = device
    }

    /// Asks all of them: how it ended.
    func play() throws(CommandFailure) -> ExitCode {
        let signals = Signals()
        var tally = Report.Tally()
        for check in checks {
            if let number = signals.take() { return .signal(number) }
            if Console.failure == EPIPE { return .signal(SIGPIPE) }
            let outcome = try ask(check)
            tally.count(outcome.verdict)
            for line in try lines(outcome) { Console.print(line) }
        }
        Console.print(tally.words())
        return tally.code
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
            let (outcome, after) = try check.ask(of: device, in: world, isStrict: played.isStrict)
            return (outcome, after)
        } catch { throw CommandFailure(.inner, "lubdub: the examiner has no room for its attributes: \(error)") }
    }

    // MARK: In words

    private func lines(_ outcome: Check.Outcome) throws(CommandFailure) -> [String] {
        let (check, verdict) = (outcome.check, outcome.verdict)
        guard !isQuiet || (verdict != .pass && verdict != .skip) else { return [] }
        let style: Paint.Style =
            switch verdict {
            case .pass: .state
            case .skip: .quiet
            case .fail, .inconclusive, .error: .warning
            }
        let label = verdict == .inconclusive ? verdict.rawValue : verdict.rawValue.filled(to: 4)
        var lines = ["\(paint(label, style))  \(check.id)  \(check.title)"]
        if let reason = outcome.reason { lines[0] += ": \(reason)" }
        guard verdict == .fail || verdict == .inconclusive || verdict == .error else { return lines }
        if let finding = outcome.finding {
            lines.append("      expected  \(finding.expected)")
            lines.append("      seen      \(finding.seen)")
            lines.append("      at        \(finding.instant) s")
        }
        lines.append("      requires  \(check.requirement)")
        if let finding = outcome.finding { lines += try trace(of: check, at: finding.instant) }
        lines.append("      replay: \(played.replay(of: check.id))")
        return lines
    }

    /// The last packets of the central before a fail: the same case again, for it is the same to the octet.
    private func trace(of check: Check, at instant: Instant) throws(CommandFailure) -> [String] {
        final class Recent: Sendable { let lines = Mutex<[String]>([]) }
        let recent = Recent()
        let central = UInt16(clamping: played.scenario.devices.count)
        var world = try played.world()
        world.packets = PacketLog { chunk in
            for record in chunk.records where record.controller == central && record.instant <= instant {
                guard let packet = PacketWording(record.kind, chunk.octets(of: record)), !packet.isReceipt,
                    packet.name != "LE Advertising Report"
                else { continue }
                let line = "\(record.instant)  \(Narrator.words(packet))"
                recent.lines.withLock { lines in
                    if lines.count == Self.packetsShown { lines.removeFirst() }
                    lines.append(line)
                }
            }
        }
        _ = try ask(check, in: world)
        return recent.lines.withLock { lines in
            zip(["trace"] + Array(repeating: "", count: lines.count), lines).map { label, line in
                "      \(label.filled(to: 8))  \(paint(line, .packet))"
            }
        }
    }

    private static let packetsShown = 6
}
