import Arguments
import EventLog
import Reporting
import Scenarios
import Simulation
import VirtualWorld

/// The files that the command line asks for, written while the world plays.
struct LogFiles {
    private let events: EventFile?
    private let trace: TraceFile?

    init(_ played: Played, _ world: inout World) throws(CommandFailure) {
        do throws(OutputFailure) {
            events =
                if let path = played.events {
                    try EventFile(
                        path, wording: world.wording, version: version, scenario: played.path, seed: played.seed)
                } else { nil }
            let begins = Duration.seconds(played.scenario.begins.secondsSince2000 + Self.seconds1970To2000)
            trace = if let path = played.trace { try TraceFile(path, epoch: begins) } else { nil }
        } catch { throw CommandFailure(.environment, "lubdub: \(error)") }
        if let events { world.journal = EventJournal { events.write($0) } }
        if let trace { world.packets = PacketLog { trace.write($0) } }
    }

    private static let seconds1970To2000: Int64 = 946_684_800

    /// Writes what is left, and the exit status.
    func close(_ world: inout World, status: Int32) throws(CommandFailure) {
        world.journal.flush()
        world.packets.flush()
        do throws(OutputFailure) {
            try events?.close(status: status)
            try trace?.close()
        } catch { throw CommandFailure(.environment, "lubdub: \(error)") }
    }
}
