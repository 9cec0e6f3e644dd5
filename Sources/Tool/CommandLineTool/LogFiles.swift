import Arguments
import Conformance
import EventLog
import Glibc
import Reporting
import Scenarios
import Simulation
import VirtualWorld

/// What the command line wants to be kept of what happens: files, and lines for people; written while the world plays.
struct LogFiles: Sendable {
    private var events: [EventFile] = []
    private var traces: [TraceFile] = []
    private let isNarrated: Bool
    private let recorder: CaseTimelineRecorder?
    /// What is remembered of a case that cannot be played again, since its client is outside.
    let recollection: Recollection?

    /// `source` is the scenario's text, for `--keep`; of a case, what its report shows is remembered, too.
    init(
        _ played: Played, _ world: inout World, _ narrator: Narrator? = nil, source: [UInt8] = [],
        isCase: Bool = false
    ) throws(CommandFailure) {
        var folder: KeptFolder?
        if let path = played.keep { folder = try KeptFolder(path, played, source: source) }
        let wording = world.wording
        let begins = Duration.seconds(played.scenario.begins.secondsSince2000 + Self.seconds1970To2000)
        do throws(OutputFailure) {
            for path in [played.events, folder?.events].compactMap({ $0 }) {
                events.append(
                    try EventFile(
                        path, wording: wording, version: version, scenario: played.path, seed: played.seed,
                        source: played.source))
            }
            for path in [played.trace, folder?.trace].compactMap({ $0 }) {
                traces.append(try TraceFile(path, epoch: begins))
            }
        } catch { throw CommandFailure(.environment, "lubdub: \(error)") }
        isNarrated = narrator != nil
        recorder = isCase && played.isPictured ? CaseTimelineRecorder(played.scenario, wording) : nil
        recollection = isCase && played.isOutside ? Recollection(played.scenario) : nil
        let (recorder, recollection) = (recorder, recollection)
        if !events.isEmpty || isNarrated || recorder != nil || recollection != nil {
            world.journal = EventJournal { [events] chunk in
                for file in events { file.write(chunk) }
                narrator?.happened(chunk, in: wording)
                recorder?.take(chunk)
                recollection?.take(chunk)
            }
        }
        if !traces.isEmpty || narrator?.tellsPackets == true || recollection != nil {
            world.packets = PacketLog { [traces] chunk in
                for file in traces { file.write(chunk) }
                narrator?.passed(chunk)
                recollection?.take(chunk)
            }
        }
    }

    private static let seconds1970To2000: Int64 = 946_684_800

    /// Whether somebody has read as much of a log as they wanted: the other end of its pipe is closed.
    var readerIsGone: Bool {
        (events.map(\.failure) + traces.map(\.failure)).contains { $0?.code == EPIPE }
    }

    /// Tells people what has just happened; files take their time.
    func narrate(_ world: inout World) {
        guard isNarrated else { return }
        world.packets.flush()
        world.journal.flush()
    }

    /// Gives to the system what has happened so far, so that who reads the files sees it.
    func flush(_ world: inout World) {
        world.packets.flush()
        world.journal.flush()
        for file in events { file.flush() }
        for file in traces { file.flush() }
        recollection?.remember(world.rulings)
    }

    /// What happened in a world, if a report is to show it.
    func timeline(of world: inout World) -> CaseTimeline? {
        world.journal.flush()
        return recorder?.timeline(until: world.now)
    }

    /// Writes what is left, and how it ended: as `code` says, unless a reader has gone meanwhile.
    func close(_ world: inout World, _ code: ExitCode) throws(CommandFailure) -> ExitCode {
        flush(&world)
        var code = code
        if readerIsGone || Console.failure == EPIPE, code == .success || code == .failure { code = .signal(SIGPIPE) }
        try close(&world, status: code.status)
        return code
    }

    /// Writes what is left, and the exit status.
    func close(_ world: inout World, status: Int32) throws(CommandFailure) {
        world.packets.flush()
        world.journal.flush()
        var failure: OutputFailure?
        for file in traces {
            do throws(OutputFailure) { try file.close() } catch { failure = failure ?? error }
        }
        let status = failure == nil ? status : ExitCode.environment.status
        for file in events {
            do throws(OutputFailure) { try file.close(status: status) } catch { failure = failure ?? error }
        }
        if let failure, failure.code != EPIPE { throw CommandFailure(.environment, "lubdub: \(failure)") }
    }
}
