import Basics
import ScenarioModel

/// The subscriptions in each connection of the clients of a run: explains a client that forgets them after it has connected
/// again, or after attributes have changed.
struct SubscriptionHistory: Sendable {
    private static let maximumLinks = 256

    private struct Link: Sendable {
        let begin: Instant
        var end = Instant.never
        /// When the device's attributes changed last, of which it has told.
        var change: Instant?
        /// Whether a request of the client was refused: it may have tried.
        var wasRefused = false
        /// The values, and when they were subscribed to.
        var values: [(name: String, at: Instant)] = []
    }

    /// By device, in order.
    private var links: [String: [Link]] = [:]
    /// The devices whose attributes rules change, by the rules' names.
    private var changes: [String: String] = [:]

    init(_ scenario: Scenario) {
        for (index, rule) in scenario.script.enumerated() where rule.action.operation.announcesChange {
            guard let device = rule.action.entity?.device else { continue }
            changes[rule.id ?? "rule \(index + 1)"] = scenario.devices[device].id
        }
    }

    static func isOfInterest(_ event: EventName) -> Bool {
        [.connected, .disconnected, .subscribed, .refused, .began].contains(event)
    }

    mutating func take(_ record: EventRecord) {
        guard let entity = record.entity, let device = record.device else { return }
        switch record.event {
        case .connected:
            change(device) { $0.end = record.instant }
            if links[device]?.count == Self.maximumLinks { links[device]?.removeFirst(Self.maximumLinks / 2) }
            links[device, default: []].append(Link(begin: record.instant))
        case .disconnected: change(device) { $0.end = record.instant }
        case .subscribed: change(device) { $0.values.append((entity, record.instant)) }
        case .refused: change(device) { $0.wasRefused = true }
        case .began:
            if let device = record.rule.flatMap({ changes[$0] }) { change(device) { $0.change = record.instant } }
        default: break
        }
    }

    /// Changes the open link with a device, if there is one.
    private mutating func change(_ device: String, _ body: (inout Link) -> Void) {
        guard let last = links[device]?.indices.last, var link = links[device]?[last], link.end == .never else {
            return
        }
        body(&link)
        links[device]?[last] = link
    }

    /// The values to which clients had subscribed, and have not again for long at an instant, although they are connected; nil
    /// if there are none.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - value: The one value of interest, if it is among them.
    ///   - instant: The instant.
    ///   - patience: How long the clients had time for it.
    /// - Returns: The explanation.
    func explanation(
        of device: String, about value: String? = nil, at instant: Instant, connectedFor patience: Duration
    ) -> String? {
        let known = (links[device] ?? []).filter { $0.begin <= instant }
        guard let link = known.last, instant < link.end, !link.wasRefused else { return nil }
        let change = link.change.flatMap { $0 <= instant ? $0 : nil }
        let begin = change ?? link.begin
        guard begin.advanced(by: patience) <= instant else { return nil }
        var missing: [String] = []
        for former in known.flatMap(\.values) where former.at < begin && former.name != device {
            let isBack = link.values.contains { $0.name == former.name && begin <= $0.at && $0.at <= instant }
            if !isBack, !missing.contains(former.name) { missing.append(former.name) }
        }
        guard !missing.isEmpty else { return nil }
        if let value, missing.contains(value) { missing = [value] }
        let names = missing.prefix(3).joined(separator: ", ")
        return change == nil
            ? "the client connected again at \(begin) s, and has not subscribed again to \(names)"
            : "the attributes of \(device) changed at \(begin) s, and the client has not subscribed again to \(names)"
    }
}

extension Action.Operation {
    /// Whether it changes attributes in a way that ends subscriptions, and tells clients of it.
    fileprivate var announcesChange: Bool {
        switch self {
        case .moveHandles(_, announce: true), .changeServices(_, _, announce: true): true
        default: false
        }
    }
}
