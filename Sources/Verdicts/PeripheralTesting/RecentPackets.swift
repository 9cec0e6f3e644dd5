import EventLog
import ScenarioRuns
import Simulation
import Synchronization

/// The last packets between a central and its controller, in words, for the report of a failure.
final class RecentPackets: Sendable {
    private static let shown = 6
    private static let kept = 256  // some packets follow the failure and end the connection

    private let central: UInt16
    private let limit: Instant
    private let packets = Mutex<[(instant: Instant, line: String)]>([])

    init(of central: UInt16, until limit: Instant = .never) { (self.central, self.limit) = (central, limit) }

    func take(_ chunk: PacketChunk) {
        for record in chunk.records where record.controller == central && record.instant <= limit {
            guard let packet = PacketDescription(unlessRoutine: record, in: chunk) else { continue }
            let line = "\(record.instant)  \(Narrator.words(packet))"
            packets.withLock { packets in
                if packets.count == Self.kept { packets.removeFirst() }
                packets.append((record.instant, line))
            }
        }
    }

    func lines(until instant: Instant) -> [String] {
        packets.withLock { $0.filter { $0.instant <= instant }.suffix(Self.shown).map(\.line) }
    }
}
