import Basics
import Expectations
import ScenarioModel

// Subscriptions that a client has forgotten, connections that it did not have, and errors that it passes over.
extension ConnectionHistory {
    /// The values to which clients had subscribed, and have not again for long at an instant, although they are connected; nil
    /// if there are none.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - value: The one value of interest, if it is among them.
    ///   - instant: The instant.
    ///   - patience: How long the clients had time for it.
    /// - Returns: The explanation.
    func forgottenSubscription(
        of device: String, about value: String? = nil, at instant: Instant, connectedFor patience: Duration
    ) -> Cause? {
        let known = (links[device] ?? []).filter { $0.begin <= instant }
        // A client that was refused may have tried.
        guard let link = known.last, instant < link.end, link.refusals.isEmpty else { return nil }
        let change = link.change.flatMap { $0 <= instant ? $0 : nil }
        let begin = change ?? link.begin
        guard begin.advanced(by: patience) <= instant else { return nil }
        var missing: [String] = []
        for former in known.flatMap(\.subscriptions) where former.at < begin && former.name != device {
            let isBack = link.subscriptions.contains {
                $0.name == former.name && begin <= $0.at && $0.at <= instant
            }
            if !isBack, !missing.contains(former.name) { missing.append(former.name) }
        }
        guard !missing.isEmpty else { return nil }
        if let value, missing.contains(value) { missing = [value] }
        let names = missing.prefix(3).joined(separator: ", ")
        guard change != nil else {
            return Cause(
                .notSubscribedAgain,
                "the client connected again at \(begin) s, and has not subscribed again to \(names)",
                facts: [Fact(.packet(.connected), at: begin)])
        }
        return Cause(
            .notSubscribedAfterChange,
            "the attributes of \(device) changed at \(begin) s, and the client has not subscribed again to \(names)",
            facts: [Fact(.value, at: begin)])
    }

    /// The last time in a span in which the client did not use some values (or any), from the end of a
    /// connection on.
    func interruption(of device: String, _ values: [String], in span: ClosedRange<Instant>) -> Cause? {
        let known = links[device] ?? []
        let gaps = known.indices.compactMap { place -> (link: Link, next: Instant)? in
            guard known[place].end <= span.upperBound else { return nil }
            let next = place + 1 < known.count ? known[place + 1].firstUse(of: values) : .never
            return next >= span.lowerBound ? (known[place], next) : nil
        }
        guard let (link, next) = gaps.last else { return nil }
        let isOwn = link.reason == "remote_user_terminated_connection"
        // The device may have been away; a client that has returned has done its part.
        guard isOwn || next > span.upperBound else { return nil }
        let end = isOwn ? "the client ended the connection with \(device)" : "the connection with \(device) ended"
        let why = isOwn ? "" : link.reason.map { " (\($0))" } ?? ""
        let use =
            next <= span.upperBound
            ? "subscribed or read again at \(next) s"
            : "has neither subscribed nor read again until \(span.upperBound) s"
        return Cause(
            isOwn ? .clientDisconnected : .notConnected,
            "\(end) at \(link.end) s\(why), and \(isOwn ? "" : "the client ")\(use)",
            facts: [Fact(.packet(.disconnected), at: link.end)])
    }

    /// What went wrong last in the time of a client that reports no error.
    func unreportedError(of device: String, in span: ClosedRange<Instant>) -> Cause? {
        let known = (links[device] ?? []).filter { $0.begin <= span.upperBound }
        let failures = known.flatMap(\.pairingFailures).map {
            (at: $0.at, words: "pairing or encryption failed (\($0.reason))", kind: EventName.pairingFailed)
        }
        let refusals = known.flatMap(\.refusals).map {
            (
                at: $0.at, words: "a request for \($0.entity ?? device) was refused (\($0.error))",
                kind: EventName.refused
            )
        }
        let ends = known.filter { $0.end < .never }.map {
            (at: $0.end, words: "the connection ended (\($0.reason ?? "unknown"))", kind: EventName.disconnected)
        }
        let last = [failures, refusals, ends].lazy.compactMap { list in list.last { $0.at <= span.upperBound } }.first
        guard let last else {
            guard let link = known.last, link.end > span.upperBound, link.security.isEmpty else { return nil }
            return Cause(
                .neverPaired, "the client connected at \(link.begin) s, and has not paired",
                facts: [Fact(.packet(.connected), at: link.begin)])
        }
        return Cause(
            .errorNotShown, "\(last.words) at \(last.at) s, and the client has printed no line with \"error\" since",
            facts: [Fact(.packet(last.kind), at: last.at)])
    }

    /// The refused requests for values, the last ones.
    func refusals(of values: [String], until instant: Instant) -> [Refusal] {
        let devices = Set(values.compactMap(EventRecord.device))
        let all = devices.sorted().flatMap { links[$0] ?? [] }.flatMap(\.refusals)
        return all.filter { $0.at <= instant && $0.entity.map(values.contains) ?? false }.suffix(2)
    }

    /// Why an event may have come that must not.
    func cause(ofForbidden kind: Event.Kind, of device: String, at instant: Instant) -> Cause? {
        let known = (links[device] ?? []).filter { $0.begin <= instant }
        switch kind {
        case .refused:
            guard let last = known.last?.refusals.last(where: { $0.at <= instant }) else { return nil }
            let facts = [Fact(.packet(.refused), at: last.at)]
            let changed = known.compactMap(\.change).last { $0 <= last.at }
            if last.error == "invalid_handle" {
                return Cause(
                    .oldHandle,
                    "the client asked for a handle that \(device) does not have"
                        + (changed.map { "; its attributes changed at \($0) s" } ?? ""), facts: facts)
            }
            return Cause(
                .refused, "the client's request for \(last.entity ?? device) was refused with \(last.error)",
                facts: facts)
        case .paired, .encrypted:
            let acting = pairingFaults(at: instant)
            let earlier = known.flatMap(\.security).last { $0.isPairing && $0.at < instant }
            if !acting.isEmpty {
                return Cause(
                    .wrongPairing, "\(acting.joined(separator: ", ")) acted, so that the pairing was not right",
                    facts: [Fact(.packet(.encrypted), at: instant)])
            }
            return earlier.map {
                Cause(
                    .pairedAgain, "the client had paired with \(device) at \($0.at) s",
                    facts: [Fact(.packet(.encrypted), at: $0.at)])
            }
        case .disconnected:
            guard let last = known.last(where: { $0.end <= instant }), last.end == instant,
                last.reason == "remote_user_terminated_connection"
            else { return nil }
            return Cause(
                .clientDisconnected, "the client ended the connection at \(last.end) s",
                facts: [Fact(.packet(.disconnected), at: last.end)])
        default: return nil
        }
    }
}

extension ConnectionHistory.Link {
    /// When the client first used one of some values, or any if there are none.
    fileprivate func firstUse(of values: [String]) -> Instant {
        let uses = values.isEmpty ? Array(used.values) : values.compactMap { used[$0] }
        return uses.min() ?? .never
    }
}
