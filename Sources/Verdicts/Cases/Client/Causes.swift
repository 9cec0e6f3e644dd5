import Basics
import Expectations
import ScenarioModel

/// Likely causes of failures that the events of a run do not have: what passed between the clients and their controllers, and
/// the lines that are not of the contract.
struct Causes: Sendable {
    let scenario: Scenario
    /// Nil if no packets were recorded.
    let traceContext: TraceContext?
    /// Nil for a client whose lines follow the contract.
    let printed: PrintedLines?
    /// When and how a client ended early that was expected to go on.
    let end: (at: Instant, words: String)?
    /// What a program asked of the played system; nil for other clients.
    let program: ProgramHistory?
    /// That a client seems to need a message bus that it does not have.
    let missingBus: String?

    /// The reason of a ruling, with its likely causes.
    func explain(_ ruling: Judge.Ruling, of expectation: Expectation) -> Reason? {
        guard var why = ruling.why else { return nil }
        let cause = why.cause ?? printedLine(ruling, expectation)
        let end = end(ruling, expectation)
        let isOpen = cause == nil && end == nil
        let idle = isOpen ? idleness(ruling, expectation) ?? forgottenSubscription(ruling, expectation) : nil
        let absence = isOpen && idle == nil ? absence(ruling, expectation) : nil
        let stop = isOpen && idle == nil ? stop(ruling, expectation) : nil
        let causes = [end, cause, timeout(ruling, expectation), idle, stop, absence, missingBus(ruling)]
        let known = causes.compactMap(\.self)
        why.cause = known.isEmpty ? nil : known.joined(separator: "; ")
        return why
    }

    /// The first line that is not of the contract, if a line was missing.
    private func printedLine(_ ruling: Judge.Ruling, _ expectation: Expectation) -> String? {
        guard ruling.verdict == .fail, let event = expectation.missing, event.kind == .said else { return nil }
        return printed?.cause(of: event.lineKeys, at: ruling.at)
    }

    /// The client's early end, if something was missing after it.
    private func end(_ ruling: Judge.Ruling, _ expectation: Expectation) -> String? {
        guard ruling.verdict == .fail, expectation.missing != nil, let end, end.at <= ruling.at else { return nil }
        return end.words
    }

    /// The time after which a client notices a lost link, if an expectation is about one that it failed, or that never was lost.
    private func timeout(_ ruling: Judge.Ruling, _ expectation: Expectation) -> String? {
        guard scenario.script.concernsLostLink(expectation, ruling.verdict),
            ruling.verdict == .fail || ruling.verdict == .inconclusive && ruling.why?.expected == nil
        else { return nil }
        return traceContext?.explanationOfLoss(at: ruling.at)
    }

    /// Why a program of a played system does nothing more, if something was missing that needs a connection.
    private func idleness(_ ruling: Judge.Ruling, _ expectation: Expectation) -> String? {
        guard ruling.verdict == .fail, let event = expectation.missing, event.needsConnection,
            !expectation.asksForDeliveredValue
        else { return nil }
        return program?.explanation(at: ruling.at, after: expectation.patience)
    }

    /// The values to which the client has not subscribed again in a new connection, if values were missing.
    private func forgottenSubscription(_ ruling: Judge.Ruling, _ expectation: Expectation) -> String? {
        guard let (event, device) = missing(ruling, expectation), event.needsSubscription,
            !expectation.asksForDeliveredValue
        else { return nil }
        return traceContext?.explanationOfSubscriptions(
            of: scenario.devices[device].id, about: event.entity.flatMap(scenario.path), at: ruling.at,
            connectedFor: .seconds(2))
    }

    /// Where a connected client stopped on the way to what was missing.
    private func stop(_ ruling: Judge.Ruling, _ expectation: Expectation) -> String? {
        guard let (event, device) = missing(ruling, expectation), event.needsConnection else { return nil }
        let goal = ProgressHistory.Goal(
            device: scenario.devices[device].id, values: values(of: event, device), keys: event.lineKeys,
            isPairing: [.paired, .encrypted, .pairingFailed, .encryptionFailed].contains(event.kind))
        return traceContext?.explanationOfProgress(to: goal, at: ruling.at, within: expectation.time)
    }

    /// The paths of the values of a device that an event can be about: its own, or those that clients print under its keys.
    private func values(of event: Event, _ device: Int) -> [String] {
        if let own = event.entity.flatMap(scenario.path), own.contains("/") { return [own] }
        return scenario.values(of: device, shownAs: event.lineKeys).compactMap(scenario.path)
    }

    private func missingBus(_ ruling: Judge.Ruling) -> String? { ruling.verdict == .fail ? missingBus : nil }

    /// What the client did since it lost the device, if something was missing that needs a connection.
    private func absence(_ ruling: Judge.Ruling, _ expectation: Expectation) -> String? {
        guard let (event, device) = missing(ruling, expectation), event.needsConnection,
            !expectation.asksForDeliveredValue
        else { return nil }
        return traceContext?.explanationOfAbsence(of: device, at: ruling.at, lostFor: expectation.patience)
    }

    /// The event of a fail that came too rarely, and the device that it is about.
    private func missing(_ ruling: Judge.Ruling, _ expectation: Expectation) -> (event: Event, device: Int)? {
        guard ruling.verdict == .fail, let event = expectation.missing, let device = event.device ?? onlyPeripheral,
            scenario.devices.indices.contains(device)
        else { return nil }
        return (event, device)
    }

    /// Nil if there are several.
    private var onlyPeripheral: Int? {
        let peripherals = scenario.devices.indices.filter { scenario.devices[$0].role == .peripheral }
        return peripherals.count == 1 ? peripherals.first : nil
    }
}

extension [Rule] {
    /// Whether a client may not have noticed yet that a link is lost: an expectation waits for a disconnection, or counts from
    /// the beginning of an action that breaks links.
    fileprivate func concernsLostLink(_ expectation: Expectation, _ verdict: Verdict) -> Bool {
        if case .stream = expectation.question { return false }
        let awaited = verdict == .fail ? expectation.expected : expectation.events
        return awaited.contains { $0.kind == .disconnected }
            || expectation.events.contains { event in
                guard event.kind == .began, case .rule(let index)? = event.of, indices.contains(index) else {
                    return false
                }
                return [.linkLoss, .powerOff, .distance].contains(self[index].action.kind)
            }
    }
}

extension Expectation {
    /// The event that came too rarely if this failed; nil if it may have failed for another reason.
    fileprivate var missing: Event? {
        switch question {
        case .seen(let event, _), .delay(_, let event, _, _): event
        case .count(let event, let limits), .rate(let event, _, let limits): limits.max == nil ? event : nil
        case .never, .order, .stream: nil
        }
    }

    /// The time that the client has; 10 s if it is not limited.
    fileprivate var time: Duration {
        switch question {
        case .seen(_, let within): within
        case .delay(_, _, _, let maximum): maximum
        case .stream(_, let maximum): maximum ?? .seconds(10)
        case .never, .count, .order, .rate: within ?? .seconds(10)
        }
    }

    /// A client that lost a device more recently may be about to return.
    fileprivate var patience: Duration { min(time / 2, .seconds(5)) }

    /// Whether a client can answer it with a value that it already has.
    fileprivate var asksForDeliveredValue: Bool {
        guard missing?.kind == .said, let kind = opens.event?.kind else { return false }
        return [.notified, .delivered, .indicated, .read, .said].contains(kind)
    }
}

extension Event {
    /// Whether a client without a connection has to connect for it.
    fileprivate var needsConnection: Bool {
        switch kind {
        case .connecting, .connected, .encrypted, .paired, .pairingFailed, .encryptionFailed, .mtu, .parameters,
            .discovering, .discovered, .subscribed, .read, .written, .notified, .delivered, .indicated, .confirmed:
            true
        case .said: lineMatchers.contains { $0.needsConnection }
        default: false
        }
    }

    /// Whether a connected client has to subscribe for it.
    fileprivate var needsSubscription: Bool {
        switch kind {
        case .subscribed, .notified, .delivered, .indicated, .confirmed: true
        case .said: needsConnection
        default: false
        }
    }

    /// The device that it is about; nil if it names none.
    fileprivate var device: Int? { entity?.device }

    /// The entity that it is about; nil if it names none.
    fileprivate var entity: EntityReference? { of?.device == nil ? truths.first { $0.of.device != nil }?.of : of }

    private var lineMatchers: [Matcher] {
        filters.compactMap { filter in if case .line(let matcher) = filter { matcher } else { nil } }
    }

    /// The keys of the client's line; none if any line will do.
    fileprivate var lineKeys: [String] { lineMatchers.flatMap(\.members).map(\.key) }
}

extension Matcher {
    /// The members of an object; of several alternatives, all of them.
    fileprivate var members: [Member] {
        switch self {
        case .object(let members): members
        case .oneOf(let matchers): matchers.flatMap(\.members)
        default: []
        }
    }

    /// Whether a line that matches has a value of a device, or a state that follows a connection.
    fileprivate var needsConnection: Bool {
        let members = members.filter { $0.key != "peer" }
        return !members.isEmpty
            && members.allSatisfy { member in
                switch (member.key, member.matcher) {
                case (_, .null), ("error", _): false
                case ("state", let state): [.string("connected"), .string("subscribed")].contains(state)
                default: true
                }
            }
    }
}
