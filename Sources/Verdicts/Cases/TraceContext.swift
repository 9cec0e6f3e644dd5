package import Basics
package import Expectations
package import ScenarioModel
import Synchronization
package import VirtualWorld

/// The trace around failures: the packets between the client's host and its controller, and the client's lines.
///
/// An instant can be marked shortly before or after its packets arrive.  The memory is bounded.
package final class TraceContext: Sendable {
    private enum Entry: Sendable {
        case packet(PacketDescription)
        case line(String)

        var words: String {
            switch self {
            case .packet(let packet): packet.line
            case .line(let line): "client: \(line)"
            }
        }
    }

    private struct State {
        var instants: [Instant] = []
        var packets = RecentMoments<Entry>(before: 6, after: 2) { fact, moment in
            guard case .packet(let packet) = moment.entry else { return false }
            return if case .packet(let event) = fact.kind { packet.mayCause(event) } else { packet.carriesValue }
        }
        var lines = RecentMoments<Entry>(before: 2, after: 1) { fact, moment in
            fact.kind == .line && fact.instant == moment.instant
        }
        var links = LinkHistory()
        var subscriptions: SubscriptionHistory
        var progress = ProgressHistory()
        var returns: ReturnHistory
    }

    /// The maximum number of marked instants.
    private static let maximum = 16

    private let firstClient: UInt16
    private let wording: ValueFormatter
    private let state: Mutex<State>

    /// Records the clients of a world, whose controllers follow those of its devices.
    package init(_ world: World) {
        let scenario = world.scenario
        wording = world.wording
        firstClient = UInt16(clamping: scenario.devices.count)
        state = Mutex(State(subscriptions: SubscriptionHistory(scenario), returns: ReturnHistory(scenario)))
    }

    func mark(_ instant: Instant) {
        state.withLock { state in
            guard state.instants.count < Self.maximum, !state.instants.contains(instant) else { return }
            state.instants.append(instant)
            state.packets.mark(instant)
            state.lines.mark(instant)
        }
    }

    func mark(_ fact: Fact) {
        state.withLock { state in
            state.packets.mark(fact)
            state.lines.mark(fact)
        }
    }

    func mark(_ rulings: [Judge.Ruling]) {
        for ruling in rulings where ruling.verdict == .fail {
            mark(ruling.at)
            for fact in ruling.facts { mark(fact) }
        }
    }

    /// Records packets; the trace leaves out those of devices, receipts and advertisements.
    package func take(_ chunk: PacketChunk) {
        for record in chunk.records {
            let isClient = record.controller >= firstClient
            let packet = isClient ? PacketDescription(unlessRoutine: record, in: chunk) : nil
            state.withLock { state in
                if let packet { state.packets.take(.packet(packet), at: record.instant) }
                let change = state.returns.take(record, chunk.octets(of: record))
                if isClient, let change { state.links.take(change, of: record.controller) }
            }
        }
    }

    /// Records the client's lines, and its subscriptions.
    package func take(_ chunk: EventChunk) {
        let records = chunk.plainRecords { SubscriptionHistory.isOfInterest($0) || ProgressHistory.isOfInterest($0) }
        let arrivals = chunk.arrivals(where: ProgressHistory.isArrival, in: wording)
        state.withLock { state in
            for record in records {
                state.subscriptions.take(record)
                state.progress.take(record)
            }
            for (entity, instant) in arrivals { state.progress.takeArrival(of: entity, at: instant) }
        }
        for (instant, octets) in chunk.lines {
            let line = String(decoding: octets, as: UTF8.self).abbreviated
            // As verdicts have the instant.
            state.withLock { state in
                state.lines.take(.line(line), at: instant.inLog)
                state.progress.take(line: octets, at: instant)
            }
        }
    }

    /// How long the silence of a lost link is normal, for the last link before an instant; nil without one.
    package func explanationOfLoss(at instant: Instant) -> String? {
        state.withLock { $0.links.explanation(at: instant) }
    }

    /// The actions of the clients since they lost a device, if that was at least `patience` ago, and explains at an instant why they
    /// have no connection to it.
    package func explanationOfAbsence(of device: Int, at instant: Instant, lostFor patience: Duration) -> String? {
        state.withLock { $0.returns.explanation(of: device, at: instant, lostFor: patience) }
    }

    /// The values to which the clients have not subscribed again, after at least `patience` in a connection with a device; nil if
    /// there are none.
    func explanationOfSubscriptions(
        of device: String, about value: String?, at instant: Instant, connectedFor patience: Duration
    ) -> String? {
        state.withLock {
            $0.subscriptions.explanation(of: device, about: value, at: instant, connectedFor: patience)
        }
    }

    /// Where the clients stopped on the way to a goal; nil if they are not connected, or it is not known.
    func explanationOfProgress(to goal: ProgressHistory.Goal, at instant: Instant, within time: Duration) -> String? {
        state.withLock { $0.progress.explanation(of: goal, at: instant, within: time) }
    }

    /// The lines around a marked instant and those of facts, in chronological order.
    package func lines(around instant: Instant, _ facts: [Fact] = []) -> [String] {
        let moments = state.withLock { state in
            state.packets.moments(around: instant, facts) + state.lines.moments(around: instant, facts)
        }
        let order = moments.indices.sorted { (moments[$0].instant, $0) < (moments[$1].instant, $1) }
        let instants = moments.map(\.instant.description)
        let width = instants.map(\.count).max() ?? 0
        let lines = order.map { place in
            let space = String(repeating: " ", count: width - instants[place].count)
            return "\(space)\(instants[place])  \(moments[place].entry.words)"
        }
        // Two facts may be in the same packet.
        return lines.enumerated().filter { $0.offset == 0 || lines[$0.offset - 1] != $0.element }.map(\.element)
    }
}

extension BuiltInClientRun {
    /// The trace around the faults of a finished run: plays it again, with identical packets.
    package func traceContext(of plan: RunPlan) throws(Obstacle) -> TraceContext? {
        guard world.rulings.contains(where: \.verdict.isFault) else { return nil }
        let traceContext = TraceContext(world)
        traceContext.mark(world.rulings)
        var world = try plan.world()
        world.packets = PacketLog { traceContext.take($0) }
        world.journal = EventJournal { traceContext.take($0) }
        world.judgeExpectations(on: plan.terms)
        var again = try BuiltInClientRun(plan, in: world, nil)
        again.play { _, _ in }
        again.world.packets.flush()
        again.world.journal.flush()
        return traceContext
    }
}
