import Basics
import ScenarioModel

/// How far the clients of a run came in each connection with a device: explains a client that is connected, and stops before it
/// has what an expectation awaits.
struct ProgressHistory: Sendable {
    /// What an expectation awaits of a client.
    struct Goal: Sendable {
        /// The device's id.
        let device: String
        /// The paths of the values, any of which will do; empty: it is not known which.
        let values: [String]
        /// The keys of the client's lines.
        let keys: [String]
        /// Whether it awaits a pairing.
        let isPairing: Bool
    }

    private struct Refusal: Sendable {
        let entity: String?
        let error: String
        let at: Instant
    }

    private struct Link: Sendable {
        let begin: Instant
        var end = Instant.never
        var reason: String?
        /// When the client began to discover attributes, and had found them.
        var discovering: Instant?, discovered: Instant?
        /// When the client has read, written, subscribed to or received a value first, by path.
        var used: [String: Instant] = [:]
        /// When values arrived, by path.
        var arrivals: [String: [Instant]] = [:]
        var refusals: [Refusal] = []
        var pairingFailures: [(at: Instant, reason: String)] = []
        /// When it paired or encrypted.
        var security: [Instant] = []
    }

    private static let maximumLinks = 64
    private static let maximumEntries = 256

    /// By device, in order.
    private var links: [String: [Link]] = [:]
    /// When the client printed a key of its lines last, and a few times before.
    private var shown: [String: [Instant]] = [:]

    static func isOfInterest(_ event: EventName) -> Bool {
        switch event {
        case .connected, .disconnected, .discovering, .discovered, .subscribed, .read, .written, .refused, .paired,
            .encrypted, .pairingFailed, .encryptionFailed:
            true
        default: false
        }
    }

    static func isArrival(_ event: EventName) -> Bool { [.delivered, .indicated, .read].contains(event) }

    mutating func takeArrival(of entity: String, at now: Instant) {
        guard let device = EventRecord.device(of: entity) else { return }
        change(device, at: now) { link in
            link.used[entity] = link.used[entity] ?? now
            if link.arrivals[entity]?.count == Self.maximumEntries {
                link.arrivals[entity]?.removeFirst(Self.maximumEntries / 2)
            }
            link.arrivals[entity, default: []].append(now)
        }
    }

    mutating func take(_ record: EventRecord) {
        guard let entity = record.entity, let device = record.device else { return }
        let now = record.instant
        switch record.event {
        case .connected:
            if links[device]?.count == Self.maximumLinks { links[device]?.removeFirst(Self.maximumLinks / 2) }
            links[device, default: []].append(Link(begin: now))
        case .disconnected: change(device, at: now) { ($0.end, $0.reason) = (now, record.reason) }
        case .discovering: change(device, at: now) { $0.discovering = $0.discovering ?? now }
        case .discovered: change(device, at: now) { $0.discovered = $0.discovered ?? now }
        case .subscribed, .read, .written: change(device, at: now) { $0.used[entity] = $0.used[entity] ?? now }
        case .refused:
            let refusal = Refusal(entity: entity, error: record.error ?? "an error", at: now)
            change(device, at: now) { if $0.refusals.count < Self.maximumEntries { $0.refusals.append(refusal) } }
        case .pairingFailed, .encryptionFailed:
            let failure = (at: now, reason: record.reason ?? "unknown")
            change(device, at: now) {
                if $0.pairingFailures.count < Self.maximumEntries { $0.pairingFailures.append(failure) }
            }
        case .paired, .encrypted:
            change(device, at: now) { if $0.security.count < Self.maximumEntries { $0.security.append(now) } }
        default: break
        }
    }

    /// Changes the latest link with a device at an instant, if there is one; arrivals come after later records of a chunk.
    private mutating func change(_ device: String, at now: Instant, _ body: (inout Link) -> Void) {
        guard let last = links[device]?.lastIndex(where: { $0.begin <= now }), var link = links[device]?[last] else {
            return
        }
        // Not copied while it changes.
        links[device]?[last] = Link(begin: now)
        body(&link)
        links[device]?[last] = link
    }

    /// Takes a line of the client, as JSON.
    mutating func take(line: ArraySlice<UInt8>, at now: Instant) {
        guard case .object(let members)? = Datum(json: line) else { return }
        for key in members.map(\.key) {
            if shown[key]?.count == Self.maximumEntries { shown[key]?.removeFirst(Self.maximumEntries / 2) }
            shown[key, default: []].append(now)
        }
    }

    // MARK: Explanations

    /// Where the client stopped on the way to a goal, for which it had a time until an instant, in its last connection; nil if it is
    /// not connected, or if it is not known.
    func explanation(of goal: Goal, at instant: Instant, within time: Duration) -> String? {
        let patience = min(time / 2, .seconds(5))
        // In a young connection the client may still be about to do it.
        guard let link = links[goal.device]?.last(where: { $0.begin.advanced(by: patience) <= instant }) else {
            return nil
        }
        let moment = min(instant, link.end)
        let step =
            failedPairing(link, at: moment) ?? refusal(link, goal, at: moment)
            ?? (goal.isPairing ? missingPairing(link, at: moment) : missingValue(link, goal, at: moment, within: time))
        guard link.end <= instant else { return step }
        guard link.reason == "remote_user_terminated_connection" else { return goal.isPairing ? step : nil }
        return (step.map { "\($0); " } ?? "") + "the client ended the connection at \(link.end) s"
    }

    /// The latest pairing of a link, if it failed.
    private func failedPairing(_ link: Link, at instant: Instant) -> String? {
        let failures = link.pairingFailures.filter { $0.at <= instant }
        guard let last = failures.last, !link.security.contains(where: { last.at < $0 && $0 <= instant }) else {
            return nil
        }
        let times = failures.count > 1 ? ", after \(failures.count - 1) more that failed" : ""
        return "pairing failed at \(last.at) s\(times): \(last.reason); the client has not paired since"
    }

    private func missingPairing(_ link: Link, at instant: Instant) -> String? {
        guard let first = link.security.first(where: { $0 <= instant }) else {
            return "the client connected at \(link.begin) s, and has not paired"
        }
        return "pairing or encryption succeeded at \(first) s"
    }

    /// An Error Response after which the client has stopped.
    private func refusal(_ link: Link, _ goal: Goal, at instant: Instant) -> String? {
        let refusals = link.refusals.filter { $0.at <= instant }
        let last =
            refusals.last { refusal in refusal.entity.map { goal.values.contains($0) } ?? false }
            ?? refusals.last { Self.securityErrors.contains($0.error) }
        guard let last, !link.security.contains(where: { last.at < $0 && $0 <= instant }) else { return nil }
        let isOver = goal.values.contains { link.used[$0].map { last.at < $0 && $0 <= instant } ?? false }
        guard !isOver else { return nil }
        let request = "a request for \(last.entity ?? goal.device) was refused with \(last.error) at \(last.at) s"
        return Self.securityErrors.contains(last.error)
            ? "\(request), and the client has not paired since" : "\(request), and the client has not succeeded since"
    }

    private static let securityErrors = [
        "insufficient_authentication", "insufficient_encryption", "insufficient_encryption_key_size",
    ]

    private func missingValue(
        _ link: Link, _ goal: Goal, at instant: Instant, within time: Duration
    ) -> String? {
        let used = link.used.filter { $0.value <= instant }
        let span = max(link.begin, instant.advanced(by: .zero - time))...instant
        // What a rule sends may be of the device only.
        let arrived = (goal.values + [goal.device]).filter {
            link.arrivals[$0]?.contains(where: span.contains) ?? false
        }
        if let first = arrived.first {
            let isShown = goal.keys.contains { shown[$0]?.contains(where: span.contains) ?? false }
            guard !goal.keys.isEmpty, !isShown else { return nil }
            return "values of \(first) arrived, and the client has printed no line with "
                + goal.keys.map(\.quoted).joined(separator: " or ") + " from \(span.lowerBound) s to \(instant) s"
        }
        let connected = "the client connected at \(link.begin) s"
        if used.isEmpty, link.discovering.map({ $0 > instant }) ?? true {
            return "\(connected), and has not discovered the attributes of \(goal.device)"
        }
        guard !goal.values.isEmpty, !goal.values.contains(where: { used[$0] != nil }) else { return nil }
        return
            "\(connected), and has neither subscribed to \(goal.values.prefix(3).joined(separator: ", ")) nor read it"
    }
}
