import Basics
import Expectations
import ScenarioModel

// Where a client stopped on the way to what an expectation awaits.
extension ConnectionHistory {
    /// What an expectation awaits of a client.
    struct Goal: Sendable {
        /// The device's id.
        let device: String
        /// The paths of the values, any of which will do; empty: it is not known which.
        let values: [String]
        /// The keys of the client's lines.
        let keys: [String]
        /// The event that is awaited.
        let kind: Event.Kind

        /// Whether it awaits a pairing.
        var isPairing: Bool { [.paired, .encrypted, .pairingFailed, .encryptionFailed].contains(kind) }
    }

    /// Where the client stopped on the way to a goal, for which it had a time until an instant, in its last connection; nil if it is
    /// not connected, or if it is not known.
    func cause(for goal: Goal, at instant: Instant, within time: Duration) -> Cause? {
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
        guard link.reason == "remote_user_terminated_connection" else {
            // Pairing that succeeded explains nothing in a later connection.
            return goal.isPairing && link.security.isEmpty ? step : nil
        }
        let end = "the client ended the connection at \(link.end) s"
        let fact = Fact(.packet(.disconnected), at: link.end)
        return step.map { Cause($0.kind, "\($0.words); \(end)", facts: $0.facts + [fact]) }
            ?? Cause(.clientDisconnected, end, facts: [fact])
    }

    /// The latest pairing of a link, if it failed.
    private func failedPairing(_ link: Link, at instant: Instant) -> Cause? {
        let failures = link.pairingFailures.filter { $0.at <= instant }
        guard let last = failures.last, !link.security.contains(where: { last.at < $0.at && $0.at <= instant }) else {
            return nil
        }
        let times = failures.count > 1 ? ", after \(failures.count - 1) more that failed" : ""
        return Cause(
            .pairingFailed, "pairing failed at \(last.at) s\(times): \(last.reason); the client has not paired since",
            facts: [Fact(.packet(.pairingFailed), at: last.at)])
    }

    private func missingPairing(_ link: Link, at instant: Instant) -> Cause? {
        guard let first = link.security.first(where: { $0.at <= instant }) else {
            return Cause(
                .neverPaired, "the client connected at \(link.begin) s, and has not paired", facts: link.beginning)
        }
        return Cause(
            .neverPaired, "pairing or encryption succeeded at \(first.at) s",
            facts: [Fact(.packet(.encrypted), at: first.at)])
    }

    /// An Error Response after which the client has stopped.
    private func refusal(_ link: Link, _ goal: Goal, at instant: Instant) -> Cause? {
        let refusals = link.refusals.filter { $0.at <= instant }
        let last =
            refusals.last { refusal in refusal.entity.map { goal.values.contains($0) } ?? false }
            ?? refusals.last { Self.securityErrors.contains($0.error) }
        guard let last, !link.security.contains(where: { last.at < $0.at && $0.at <= instant }) else { return nil }
        let isOver = goal.values.contains { link.used[$0].map { last.at < $0 && $0 <= instant } ?? false }
        guard !isOver else { return nil }
        let request = "a request for \(last.entity ?? goal.device) was refused with \(last.error) at \(last.at) s"
        let facts = [Fact(.packet(.refused), at: last.at)]
        return Self.securityErrors.contains(last.error)
            ? Cause(.notPairedAfterRefusal, "\(request), and the client has not paired since", facts: facts)
            : Cause(.refused, "\(request), and the client has not succeeded since", facts: facts)
    }

    private static let securityErrors = [
        "insufficient_authentication", "insufficient_encryption", "insufficient_encryption_key_size",
    ]

    private func missingValue(_ link: Link, _ goal: Goal, at instant: Instant, within time: Duration) -> Cause? {
        if let cause = unconfirmed(link, goal, at: instant) { return cause }
        let used = link.used.filter { $0.value <= instant }
        let span = max(link.begin, instant.advanced(by: .zero - time))...instant
        // What a rule sends may be of the device only.
        let paths = goal.values.isEmpty ? link.arrivals.keys.sorted() : goal.values
        let arrived = (paths + [goal.device]).filter {
            link.arrivals[$0]?.contains(where: span.contains) ?? false
        }
        if let first = arrived.first, !goal.keys.isEmpty {
            guard !goal.keys.contains(where: { hasShown($0, in: span) }) else { return nil }
            let last = link.arrivals[first]?.last(where: span.contains)
            return Cause(
                .nothingPrinted,
                "values of \(first) arrived, and the client has printed no line with "
                    + goal.keys.map(\.quoted).joined(separator: " or ")
                    + " from \(span.lowerBound) s to \(instant) s",
                facts: last.map { [Fact(.value, at: $0)] } ?? [])
        }
        let connected = "the client connected at \(link.begin) s"
        if used.isEmpty, link.discovering.map({ $0 > instant }) ?? true {
            return Cause(
                .noDiscovery, "\(connected), and has not discovered the attributes of \(goal.device)",
                facts: link.beginning)
        }
        let names = goal.values.prefix(3).joined(separator: ", ")
        if let deed = goal.kind.missingDeed, !goal.values.isEmpty {
            return Cause(
                .noRequest, "\(connected), and has not \(deed) \(names) until \(instant) s", facts: link.beginning)
        }
        guard arrived.isEmpty, !goal.values.isEmpty, !goal.values.contains(where: { used[$0] != nil }) else {
            return arrived.isEmpty ? nothingArrived(link, goal, at: instant) : nil
        }
        return Cause(
            .noSubscription, "\(connected), and has neither subscribed to \(names) nor read it", facts: link.beginning)
    }
}

extension ConnectionHistory {
    /// A value that the client uses, and of which nothing arrives.
    private func nothingArrived(_ link: Link, _ goal: Goal, at instant: Instant) -> Cause? {
        if let last = link.refusals.last(where: { $0.at <= instant }) {
            return Cause(
                .refused, "a request for \(last.entity ?? goal.device) was refused with \(last.error) at \(last.at) s",
                facts: [Fact(.packet(.refused), at: last.at)])
        }
        let subscribed = link.subscriptions.last { goal.values.contains($0.name) && $0.at <= instant }
        guard let subscribed, link.arrivals[subscribed.name] == nil else { return nil }
        let write = link.lastWrite.flatMap { $0.at <= instant ? $0 : nil }
        return Cause(
            .nothingArrived,
            "the client subscribed to \(subscribed.name) at \(subscribed.at) s, and nothing has arrived"
                + (write.map { "; it wrote \($0.entity) last, at \($0.at) s" } ?? ""),
            facts: [subscribed.at, write?.at].compactMap { $0.map { Fact(.packet(.written), at: $0) } })
    }

    /// An indication that the client has not confirmed.
    private func unconfirmed(_ link: Link, _ goal: Goal, at instant: Instant) -> Cause? {
        for path in goal.values {
            guard let last = link.indications[path]?.last(where: { $0.advanced(by: .seconds(1)) <= instant }),
                !link.confirmations.contains(where: { last <= $0 && $0 <= instant })
            else { continue }
            return Cause(
                .unconfirmed, "\(path) was indicated at \(last) s, and the client has not confirmed it",
                facts: [Fact(.value, at: last)])
        }
        return nil
    }
}

extension ConnectionHistory.Link {
    /// The packet with which it began.
    fileprivate var beginning: [Fact] { [Fact(.packet(.connected), at: begin)] }
}

extension Event.Kind {
    /// The deed that a client has not done if such an event is missing although it uses the value otherwise.
    fileprivate var missingDeed: String? {
        switch self {
        case .read: "read"
        case .written: "written"
        case .confirmed: "confirmed an indication of"
        case .mtu: "exchanged the MTU with"
        default: nil
        }
    }
}
