import Basics
import Bluetooth
import Expectations
import HCI
import LEHost
import ScenarioModel

/// The links of the clients of a run, with the parameters that decide when a lost one is noticed.
struct LinkHistory: Sendable {
    private static let maximumLinks = 256

    private var links: [(controller: UInt16, link: LinkFollower.Link)] = []

    /// Takes what a packet of a client's controller changes.
    mutating func take(_ change: LinkFollower.Change, of controller: UInt16) {
        switch change {
        case .connected(let link, _):
            links.append((controller, link), ofAtMost: Self.maximumLinks)
        case .updated(let link), .disconnected(let link):
            let place = links.lastIndex { $0.controller == controller && $0.link.handle == link.handle }
            if let place { links[place].link = link }
        default: break
        }
    }

    /// How long the silence of a lost link is normal, for the last link before an instant; nil without one.
    func explanation(at instant: Instant) -> Cause? {
        guard let link = links.last(where: { $0.link.begin <= instant })?.link, let timing = link.timing else {
            return nil
        }
        let timeout = Duration.milliseconds(10 * Int(timing.supervisionTimeout))
        let interval = Duration.microseconds(1250 * Int(timing.interval))
        let limit = timeout + interval * (1 + Int(timing.latency))
        let loss = link.end.flatMap { end in
            end.reason == .connectionTimeout ? "; the client's controller reported the loss at \(end.at) s" : nil
        }
        let facts = link.end.map { [Fact(.packet(.disconnected), at: $0.at)] } ?? []
        return Cause(
            .slowLoss,
            "the link's supervision timeout was \(timeout.inMilliseconds) (interval \(interval.inMilliseconds), latency "
                + "\(timing.latency)), so \(timeout.inTenths) to \(limit.inTenths) s of silence are normal before a client "
                + "notices that the link is lost\(loss ?? "")",
            facts: facts)
    }
}

extension Duration {
    fileprivate var inMilliseconds: String { "\(inNanoseconds / 1_000_000) ms" }
}
