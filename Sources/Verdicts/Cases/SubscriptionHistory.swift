import Basics
import ScenarioModel

/// The subscriptions in each connection of the clients of a run: explains a client that connects again, and forgets them.
struct SubscriptionHistory: Sendable {
    private static let maximumLinks = 256

    private struct Link: Sendable {
        let device: String
        let begin: Instant
        var end = Instant.never
        /// The values, and when they were subscribed to.
        var values: [(name: String, at: Instant)] = []
    }

    /// In order.
    private var links: [Link] = []

    static func isOfInterest(_ event: EventName) -> Bool { [.connected, .disconnected, .subscribed].contains(event) }

    mutating func take(_ record: EventRecord) {
        guard let entity = record.entity, let device = entity.split(separator: "/").first.map(String.init) else { return }
        let open = links.lastIndex { $0.device == device && $0.end == .never }
        switch record.event {
        case .connected:
            if let open { links[open].end = record.instant }
            if links.count == Self.maximumLinks { links.removeFirst(Self.maximumLinks / 2) }
            links.append(Link(device: device, begin: record.instant))
        case .disconnected: if let open { links[open].end = record.instant }
        case .subscribed: if let open { links[open].values.append((entity, record.instant)) }
        default: break
        }
    }

    /// The values that clients have not subscribed to although they have been connected with a device for long at an instant,
    /// and did in an earlier connection; nil if there are none.
    func explanation(of device: String, at instant: Instant, connectedFor patience: Duration) -> String? {
        let known = links.filter { $0.device == device && $0.begin <= instant }
        guard let link = known.last, known.count > 1, instant < link.end,
            link.begin.advanced(by: patience) <= instant
        else { return nil }
        var missing: [String] = []
        for value in known.dropLast().flatMap(\.values)
        where value.name != device && !missing.contains(value.name)
            && !link.values.contains(where: { $0.name == value.name && $0.at <= instant })
        {
            missing.append(value.name)
        }
        guard !missing.isEmpty else { return nil }
        let names = missing.prefix(3).joined(separator: ", ")
        return "the client connected again at \(link.begin) s, and has not subscribed again to \(names)"
    }
}
