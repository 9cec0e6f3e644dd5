import Basics
import Expectations
import ScenarioModel

/// The packets of a run's clients that can be causes: all but values, receipts and most advertising, in bounded memory.
struct NotablePackets: Sendable {
    typealias Moment = (instant: Instant, packet: PacketDescription)

    private static let maximum = 4096

    private var packets: [Moment] = []

    mutating func take(_ packet: PacketDescription, at instant: Instant) {
        guard !packet.carriesValue || packet.name.hasSuffix("Response") else { return }
        packets.append((instant, packet), ofAtMost: Self.maximum)
    }

    /// The packets of a fact: the nearest in time, since a server knows of it before its packet reaches the client, or after; of
    /// a refusal, also the request.
    func packets(of fact: Fact) -> [Moment] {
        guard case .packet(let event) = fact.kind else { return [] }
        let near = packets.indices.filter {
            packets[$0].packet.mayCause(event) && packets[$0].instant.distance(to: fact.instant) <= .seconds(1)
        }
        let nearest = near.min {
            packets[$0].instant.distance(to: fact.instant) < packets[$1].instant.distance(to: fact.instant)
        }
        guard let place = nearest else { return [] }
        let request = event == .refused ? packets[..<place].lastIndex { $0.packet.isRequest } : nil
        return [request, place].compactMap { $0.map { packets[$0] } }
    }
}

extension Instant {
    /// How far it is from another one, whichever is later.
    fileprivate func distance(to other: Instant) -> Duration { min(self, other).duration(to: max(self, other)) }
}

extension PacketDescription {
    /// Whether the client sends it to a server.
    fileprivate var isRequest: Bool { isFromHost && name.hasPrefix("ATT ") }
}
