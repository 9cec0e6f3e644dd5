package import Arguments
package import CommandSupport
package import Conformance
import EventLog
import Glibc
import Reporting
import Scenarios
import Simulation
package import VirtualWorld

/// What the command line wants to be kept of what happens: files, and lines for people; written while the world plays.
package struct LogFiles: Sendable {
    private var events: [EventFile] = []
    private var traces: [TraceFile] = []
    private let isNarrated: Bool
    private let chronicler: Chronicler?
    /// What is remembered of a case that cannot be played again, since its client is outside.
    package let traceContext: TraceContext?

    /// `source` is the scenario's text, for `--keep`; of a case, what its report shows is remembered, too.
    package init(
        _ configuration: RunConfiguration, _ world: inout World, _ narrator: Narrator? = nil, source: [UInt8] = [],
        isCase: Bool = false
    ) throws(CommandFailure) {
        var folder: ArtifactDirectory?
        if let path = configuration.keep { folder = try ArtifactDirectory(path, configuration, source: source) }
        let wording = world.wording
        let begins = Duration.seconds(configuration.scenario.begins.secondsSince2000 + Self.seconds1970To2000)
        do throws(OutputFailure) {
            for path in [configuration.events, folder?.events].compactMap({ $0 }) {
                events.append(
                    try EventFile(
                        path, wording: wording, version: version, scenario: configuration.path,
                        seed: configuration.seed,
                        source: configuration.source))
            }
            for path in [configuration.trace, folder?.trace].compactMap({ $0 }) {
                traces.append(try TraceFile(path, epoch: begins))
            }
        } catch { throw CommandFailure(.environment, "\(error)") }
        isNarrated = narrator != nil
        chronicler = isCase && configuration.isPictured ? Chronicler(configuration.scenario, wording) : nil
        traceContext = isCase && configuration.hasExternalClient ? TraceContext(configuration.scenario) : nil
        let (chronicler, traceContext) = (chronicler, traceContext)
        if !events.isEmpty || isNarrated || chronicler != nil || traceContext != nil {
            world.journal = EventJournal { [events] chunk in
                for file in events { file.write(chunk) }
                narrator?.happened(chunk, in: wording)
                chronicler?.take(chunk)
                traceContext?.take(chunk)
            }
        }
        if !traces.isEmpty || narrator?.tellsPackets == true || traceContext != nil {
            world.packets = PacketLog { [traces] chunk in
                for file in traces { file.write(chunk) }
                narrator?.passed(chunk)
                traceContext?.take(chunk)
            }
        }
    }

    private static let seconds1970To2000: Int64 = 946_684_800

    /// Whether somebody has read as much of a log as they wanted: the other end of its pipe is closed.
    package var readerIsGone: Bool {
        (events.map(\.failure) + traces.map(\.failure)).contains { $0?.code == EPIPE }
    }

    /// Tells people what has just happened; files take their time.
    package func narrate(_ world: inout World) {
        guard isNarrated else { return }
        world.packets.flush()
        world.journal.flush()
    }

    /// Gives to the system what has happened so far, so that who reads the files sees it.
    package func flush(_ world: inout World) {
        world.packets.flush()
        world.journal.flush()
        for file in events { file.flush() }
        for file in traces { file.flush() }
        traceContext?.remember(world.rulings)
    }

    /// What happened in a world, if a report is to show it.
    package func chronicle(of world: inout World) -> Chronicle? {
        world.journal.flush()
        return chronicler?.chronicle(until: world.now)
    }

    /// Writes what is left, and how it ended: as `code` says, unless a reader has gone meanwhile.
    package func close(_ world: inout World, _ code: ExitCode) throws(CommandFailure) -> ExitCode {
        flush(&world)
        var code = code
        if readerIsGone || Console.failure == EPIPE, code == .success || code == .failure { code = .signal(SIGPIPE) }
        try close(&world, status: code.status)
        return code
    }

    /// Writes what is left, and the exit status.
    package func close(_ world: inout World, status: Int32) throws(CommandFailure) {
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
        if let failure, failure.code != EPIPE { throw CommandFailure(.environment, "\(failure)") }
    }
}
