package import Basics
import Bluetooth
package import Conformance
package import Expectations
package import ScenarioModel
package import VirtualWorld

/// Likely causes of failures: what passed between the clients and their controllers, what was delivered and printed, and what is
/// known of the client as a program.
package struct Explainer: Sendable {
    /// What is known of a client outside.
    package struct Program: Sendable {
        /// When and how a client ended early that was expected to go on.
        package var end: (at: Instant, words: String)?
        /// The first line that is not of the contract, of those about some keys, until an instant.
        package var foreignLine: @Sendable (_ keys: [String], Instant) -> String? = { _, _ in nil }
        /// Why a program of a played system does nothing more, for at least some time before an instant.
        package var idleness: @Sendable (Instant, _ after: Duration) -> String? = { _, _ in nil }
        /// That a client seems to need a message bus that it does not have.
        package var missingBus: String?

        /// One of which nothing is known.
        package init() {}
    }

    let scenario: Scenario
    /// Nil if no packets were recorded.
    let traceContext: TraceContext?
    let program: Program
    /// What explains wrong, late and missing lines; nil if the client's lines are not judged.
    let displays: DisplayHistory?

    /// Explains the failures of a finished world.
    package init(_ world: World, _ traceContext: TraceContext?, _ program: Program = Program()) {
        (scenario, displays) = (world.scenario, world.displays)
        (self.traceContext, self.program) = (traceContext, program)
    }

    /// A ruling as a fail if its expectation could not begin only because the client never connected, although its host knew of
    /// the one device, which advertised all the time, for long; else as it is.
    ///
    /// In doubt it stays inconclusive: a client may look for another service, and a device that a rule disturbs may be out of reach.
    package func judged(_ ruling: Judge.Ruling, of expectation: Expectation) -> Judge.Ruling {
        guard displays != nil, ruling.verdict == .inconclusive, ruling.isUnopened, ruling.stall == nil,
            program.end == nil,
            let opening = expectation.opens.event, opening.needsConnection, opening.kind != .said,
            let device = onlyPeripheral, scenario.isReachable(device),
            let cause = traceContext?.returns.neglect(of: device, until: ruling.at, knownFor: Self.patience)
        else { return ruling }
        let why = Reason(
            expected: "a connection of \(scenario.devices[device].id), without which this cannot be judged",
            seen: ruling.why?.seen ?? "observed none", cause: cause)
        return ruling.failed(why, showing: cause.facts)
    }

    /// The verdict on an expectation with its causes and, for a fail, its trace.
    package func finding(_ ruling: Judge.Ruling, of expectation: Expectation, requirement: String?) -> CaseFinding {
        let explanation = explain(ruling, of: expectation)
        let trace = ruling.verdict == .fail ? traceContext : nil
        return CaseFinding(
            id: expectation.id, requirement: requirement, verdict: ruling.verdict, why: explanation?.why,
            at: ruling.verdict == .skip ? nil : ruling.at,
            trace: trace?.lines(around: ruling.at, ruling.facts, evidence: explanation?.evidence ?? []) ?? [])
    }

    /// A slow client looks at reports only now and then, and connects soon after.
    private static let patience = Duration.seconds(8)

    /// The reason of a ruling with its likely causes, and what shows them in the trace.
    func explain(_ ruling: Judge.Ruling, of expectation: Expectation) -> (why: Reason, evidence: [Fact])? {
        guard var why = ruling.why else { return nil }
        let line = why.cause == nil ? printedLine(ruling, expectation) : nil
        let end = end(ruling, expectation)
        var causes = [end, line, timeout(ruling, expectation)].compactMap(\.self)
        if end == nil, line == nil, why.cause == nil { causes += conduct(ruling, expectation) }
        if ruling.verdict == .fail, let bus = program.missingBus { causes.append(Cause(.missingBus, bus)) }
        let known = [why.cause].compactMap(\.self) + causes.map(\.words)
        why.cause = known.isEmpty ? nil : known.joined(separator: "; ")
        why.kinds += causes.map(\.kind)
        let own = ruling.isUnopened ? ruling.facts : []
        return (why, own + causes.flatMap(\.facts) + refusals(ruling, expectation))
    }

    /// What the client did, or did not do.
    private func conduct(_ ruling: Judge.Ruling, _ expectation: Expectation) -> [Cause] {
        guard ruling.verdict == .fail else { return [] }
        if let cause = forbidden(ruling, expectation) { return [cause] }
        if let cause = idleness(ruling, expectation) ?? forgottenSubscription(ruling, expectation) { return [cause] }
        let own = devices(of: expectation)
        let display = displays?.cause(of: ruling, expectation, about: own.count == 1 ? own.first : nil)
        if let display {
            // A client that ends the connection shows nothing more.
            let end = display.kind.isAboutMissingLine ? interruption(ruling, expectation) : nil
            return [display] + (end.map { $0.kind == .clientDisconnected ? [$0] : [] } ?? [])
        }
        if let cause = unheard(ruling, expectation) { return [cause] }
        if let cause = stop(ruling, expectation) {
            return [cause, cause.kind == .clientDisconnected ? absence(ruling, expectation) : nil].compactMap(\.self)
        }
        if let cause = absence(ruling, expectation) { return [cause] }
        let cause = interruption(ruling, expectation) ?? unreportedError(ruling, expectation) ?? ruling.miss?.hint
        return [cause ?? disorder(expectation)].compactMap(\.self)
    }

    /// That values of advertising data were not shown, if that was missing.
    private func unheard(_ ruling: Judge.Ruling, _ expectation: Expectation) -> Cause? {
        guard let event = missing(ruling, expectation), event.kind == .said, event.lineKeys == ["advertised"] else {
            return nil
        }
        return Cause(
            .advertisedNotShown,
            "the device advertised values, and the client printed no such line with \"advertised\": it filters them, hears only the first, or reads other data"
        )
    }

    /// The first line that is not of the contract, if a line was missing.
    private func printedLine(_ ruling: Judge.Ruling, _ expectation: Expectation) -> Cause? {
        guard ruling.verdict == .fail, let event = missing(ruling, expectation), event.kind == .said else { return nil }
        return program.foreignLine(event.lineKeys, ruling.at).map { Cause(.foreignLine, $0) }
    }

    /// The client's early end, if something was missing after it.
    private func end(_ ruling: Judge.Ruling, _ expectation: Expectation) -> Cause? {
        guard ruling.verdict == .fail, missing(ruling, expectation) != nil, let end = program.end, end.at <= ruling.at
        else { return nil }
        return Cause(.clientEnded, end.words)
    }

    /// The time after which a client notices a lost link, if an expectation is about one that it failed, or that never was lost.
    private func timeout(_ ruling: Judge.Ruling, _ expectation: Expectation) -> Cause? {
        guard scenario.script.concernsLostLink(expectation, ruling.verdict),
            ruling.verdict == .fail || ruling.verdict == .inconclusive && ruling.why?.expected == nil
        else { return nil }
        return traceContext?.causeOfSilence(at: ruling.at)
    }

    /// Why a program of a played system does nothing more, if something was missing that needs a connection.
    private func idleness(_ ruling: Judge.Ruling, _ expectation: Expectation) -> Cause? {
        guard let event = missing(ruling, expectation), event.needsConnection, !expectation.asksForDeliveredValue else {
            return nil
        }
        return program.idleness(ruling.at, expectation.patience).map { Cause(.idleProgram, $0) }
    }

    /// The values to which the client has not subscribed again in a new connection, if values were missing.
    private func forgottenSubscription(_ ruling: Judge.Ruling, _ expectation: Expectation) -> Cause? {
        guard let event = missing(ruling, expectation), event.needsSubscription, !expectation.asksForDeliveredValue
        else {
            return nil
        }
        return first(of: expectation) { device in
            traceContext?.connections.forgottenSubscription(
                of: scenario.devices[device].id, about: event.entity.flatMap(scenario.path), at: ruling.at,
                connectedFor: .seconds(2))
        }
    }

    /// Where a connected client stopped on the way to what was missing.
    private func stop(_ ruling: Judge.Ruling, _ expectation: Expectation) -> Cause? {
        guard let event = missing(ruling, expectation), event.needsConnection else { return nil }
        return first(of: expectation) { device in
            let goal = ConnectionHistory.Goal(
                device: scenario.devices[device].id, values: values(of: event, device), keys: event.lineKeys,
                kind: event.kind)
            return traceContext?.connections.cause(for: goal, at: ruling.at, within: expectation.time)
        }
    }

    /// What the client did since it lost the device, if something was missing that needs a connection.
    private func absence(_ ruling: Judge.Ruling, _ expectation: Expectation) -> Cause? {
        guard let event = missing(ruling, expectation),
            event.needsConnection || event.asksForError || event.kind == .disconnected,
            !expectation.asksForDeliveredValue, let returns = traceContext?.returns
        else { return nil }
        // A client that has reached one of several need not reach the others.
        let causes = devices(of: expectation).map {
            returns.explanation(of: $0, at: ruling.at, lostFor: expectation.patience)
        }
        return causes.contains { $0 == nil } ? nil : causes.first ?? nil
    }

    /// The time without a connection in that of the expectation.
    private func interruption(_ ruling: Judge.Ruling, _ expectation: Expectation) -> Cause? {
        guard let event = expectation.expected.first, event.needsConnection, let miss = ruling.miss else { return nil }
        let cause = first(of: expectation) { device in
            traceContext?.connections.interruption(
                of: scenario.devices[device].id, values(of: event, device),
                in: miss.opened...max(miss.opened, ruling.at))
        }
        return expectation.asksForDeliveredValue && cause?.kind == .notConnected ? nil : cause
    }

    /// The trouble about which the client prints nothing.
    private func unreportedError(_ ruling: Judge.Ruling, _ expectation: Expectation) -> Cause? {
        guard let event = missing(ruling, expectation), event.asksForError, let miss = ruling.miss else { return nil }
        return first(of: expectation) { device in
            traceContext?.connections.unreportedError(
                of: scenario.devices[device].id, in: miss.opened...max(miss.opened, ruling.at))
        }
    }

    /// That the client takes steps in another order, if they have one.
    private func disorder(_ expectation: Expectation) -> Cause? {
        guard case .order = expectation.question else { return nil }
        return Cause(.wrongOrder, "the client takes these steps in another order")
    }

    /// Why something came that must not.
    private func forbidden(_ ruling: Judge.Ruling, _ expectation: Expectation) -> Cause? {
        let event: Event
        switch expectation.question {
        case .never(let unwanted): event = unwanted
        case .count(let counted, _) where ruling.miss?.isExcess == true && counted.kind != .said: event = counted
        // The one that came too early.
        case .order(let events):
            guard let early = events.last else { return nil }
            event = early
        default: return nil
        }
        guard let device = event.device ?? onlyPeripheral, scenario.devices.indices.contains(device) else { return nil }
        if event.kind == .connected || event.kind == .connecting {
            return traceContext?.returns.choice(of: device, at: ruling.at)
        }
        return traceContext?.connections.cause(
            ofForbidden: event.kind, of: scenario.devices[device].id, at: ruling.at)
    }

    // MARK: Its subject

    /// The event that came too rarely; nil if the fail has another reason.
    private func missing(_ ruling: Judge.Ruling, _ expectation: Expectation) -> Event? {
        ruling.miss?.isExcess == true ? nil : expectation.counted
    }

    /// The refused requests for the values that a fail is about: they belong in its trace.
    private func refusals(_ ruling: Judge.Ruling, _ expectation: Expectation) -> [Fact] {
        guard ruling.verdict == .fail, let connections = traceContext?.connections else { return [] }
        let paths = expectation.expected.flatMap { event in
            devices(of: expectation).flatMap { values(of: event, $0) }
        }
        return connections.refusals(of: paths, until: ruling.at).map { Fact(.packet(.refused), at: $0.at) }
    }

    /// The paths of the values of a device that an event can be about: its own, or those that clients print under its keys.
    private func values(of event: Event, _ device: Int) -> [String] {
        if let own = event.entity.flatMap(scenario.path), own.contains("/") { return [own] }
        return scenario.values(of: device, shownAs: event.lineKeys).compactMap(scenario.path)
    }

    /// The peripherals that an expectation can be about, the likeliest first.
    private func devices(of expectation: Expectation) -> [Int] {
        let named = expectation.expected.first?.device
        if let named, scenario.devices.indices.contains(named) { return [named] }
        let all = scenario.devices.indices.filter { scenario.devices[$0].role == .peripheral }
        let likely = [expectation.opens.event?.device, scenario.target].compactMap(\.self).first { all.contains($0) }
        return (likely.map { [$0] } ?? []) + all.filter { $0 != likely }
    }

    private func first(of expectation: Expectation, _ cause: (Int) -> Cause?) -> Cause? {
        devices(of: expectation).lazy.compactMap(cause).first
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
    /// The event that it counts, or waits for; nil if it must not come, or is one of several.
    fileprivate var counted: Event? {
        switch question {
        case .seen(let event, _), .delay(_, let event, _, _), .count(let event, _), .rate(let event, _, _): event
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
        guard counted?.kind == .said, let kind = opens.event?.kind else { return false }
        return [.notified, .delivered, .indicated, .read, .said].contains(kind)
    }
}

extension Scenario {
    /// Whether a client has no reason not to connect to a peripheral: it is the only one, near, advertises a heart rate from the
    /// start, no rule acts on anything but the values that it sends, and no expectation forbids it.
    fileprivate func isReachable(_ place: Int) -> Bool {
        let device = devices[place]
        let offered = device.advertising.payload.services + (device.advertising.scanResponse?.services ?? [])
        let isForbidden = expectations.contains { expectation in
            if case .never(let event) = expectation.question {
                [.scanning, .connecting, .connected].contains(event.kind)
            } else {
                false
            }
        }
        return device.advertising.isConnectable && device.distance <= 5 && !device.hasPrivacy
            && device.advertising.payload.octets == nil && devices.count == 1 && !isForbidden
            && offered.contains(.heartRate)
            && script.allSatisfy { Self.harmless.contains($0.action.kind) }
    }

    /// The actions that keep no client from connecting.
    private static let harmless: [Action.Kind] = [
        .silence, .drop, .duplicate, .delay, .reorder, .truncate, .lengthen, .burst, .notify, .raw, .set, .leadOff,
        .drift, .skipTime, .unconfirmed,
    ]
}

extension CauseKind {
    fileprivate var isAboutMissingLine: Bool { [.valueIgnored, .stoppedPrinting, .nothingPrinted].contains(self) }
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

    /// Whether it is a line about an error.
    fileprivate var asksForError: Bool { kind == .said && lineKeys.contains("error") }

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
