package import Basics
import Causes
package import ScenarioModel
import Synchronization

/// The last packets between a central and its controller, in words, for the report of a failure.
package final class RecentPackets: Sendable {
    package struct Packet: Sendable {
        package let instant: Instant
        package let line: String
        package let octets: ArraySlice<UInt8>
        package let isNotification: Bool
    }

    private static let shown = 6
    /// Those among them that peripherals send unasked.
    private static let shownNotifications = 2
    /// The evidence may be older than the last packets, and some packets follow the failure and end the connection.
    private static let kept = 2048

    private let central: UInt16
    private let limit: Instant
    private let packets = Mutex<[Packet]>([])
    private let requestCount = Mutex(0)

    package init(of central: UInt16, until limit: Instant = .never) { (self.central, self.limit) = (central, limit) }

    package func take(_ chunk: PacketChunk) {
        for record in chunk.records where record.controller == central && record.instant <= limit {
            guard let packet = PacketDescription(unlessRoutine: record, in: chunk) else { continue }
            if packet.isFromHost, packet.name.hasSuffix("Request") { requestCount.withLock { $0 += 1 } }
            let recent = Packet(
                instant: record.instant, line: "\(record.instant)  \(packet.line)",
                octets: packet.octets,
                isNotification: !packet.isFromHost && packet.name.hasPrefix("ATT Handle Value"))
            packets.withLock { $0.append(recent, ofAtMost: Self.kept) }
        }
    }

    /// The requests that the central has sent.
    package var requests: Int { requestCount.withLock { $0 } }

    /// The last lines until an instant, and before them the latest packet that has the octets of `evidence`.
    package func lines(until instant: Instant, showing evidence: [UInt8]) -> [String] {
        Self.lines(packets.withLock { $0.filter { $0.instant <= instant } }, showing: evidence)
    }

    package static func lines(_ packets: [Packet], showing evidence: [UInt8]) -> [String] {
        let carrier = evidence.isEmpty ? nil : packets.lastIndex { $0.octets.contains(evidence) }
        var (places, notifications): ([Int], Int) = (carrier.map { [$0] } ?? [], 0)
        for (place, packet) in packets.enumerated().reversed() where place != carrier {
            if packet.isNotification {
                notifications += 1
                guard notifications <= shownNotifications else { continue }
            }
            places.append(place)
            if places.count == shown { break }
        }
        return places.sorted().map { packets[$0].line }
    }
}
