package import Basics
package import Expectations
import LEHost
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
        var notable = NotablePackets()
        var links = LinkHistory()
        var connections: ConnectionHistory
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
        state = Mutex(State(connections: ConnectionHistory(scenario), returns: ReturnHistory(scenario)))
    }

    package func mark(_ instant: Instant) {
        state.withLock { state in
            guard state.instants.count < Self.maximum, !state.instants.contains(instant) else { return }
            state.instants.append(instant)
            state.packets.mark(instant)
            state.lines.mark(instant)
        }
    }

    package func mark(_ fact: Fact) {
        state.withLock { state in
            state.packets.mark(fact)
            state.lines.mark(fact)
        }
    }

    package func mark(_ rulings: [Judge.Ruling]) {
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
                if let packet {
                    state.packets.take(.packet(packet), at: record.instant)
                    state.notable.take(packet, at: record.instant)
                }
                let change = state.returns.take(record, chunk.octets(of: record))
                guard isClient, let change else { return }
                state.links.take(change, of: record.controller)
                // The first report of a device explains why a client could have connected.
                if case .received = change, state.returns.lastDiscovery == record.instant,
                    let report = PacketDescription(record.kind, chunk.octets(of: record))
                {
                    state.notable.take(report, at: record.instant)
                }
            }
        }
    }

    /// Records the client's lines, and its subscriptions.
    package func take(_ chunk: EventChunk) {
        let records = chunk.plainRecords(where: ConnectionHistory.isOfInterest)
        let arrivals = chunk.arrivals(where: ConnectionHistory.isArrival, in: wording)
        let indications = chunk.arrivals(where: { $0 == .indicated }, in: wording)
        state.withLock { state in
            for record in records { state.connections.take(record) }
            for (entity, instant) in arrivals { state.connections.takeArrival(of: entity, at: instant) }
            for (entity, instant) in indications { state.connections.takeIndication(of: entity, at: instant) }
        }
        for (instant, octets) in chunk.lines {
            let line = String(decoding: octets, as: UTF8.self).abbreviated
            // As verdicts have the instant.
            state.withLock { state in
                state.lines.take(.line(line), at: instant.inLog)
                state.connections.take(line: octets, at: instant)
            }
        }
    }

    /// How long the silence of a lost link is normal, for the last link before an instant; nil without one.
    func causeOfSilence(at instant: Instant) -> Cause? { state.withLock { $0.links.explanation(at: instant) } }

    /// What the clients did on the way to a device, and before they had found it.
    var returns: ReturnHistory { state.withLock { $0.returns } }

    /// What the clients did in their connections.
    var connections: ConnectionHistory { state.withLock { $0.connections } }

    /// The lines around a marked instant and those of facts, also of facts that became known later (`evidence`), in
    /// chronological order.
    package func lines(around instant: Instant, _ facts: [Fact] = [], evidence: [Fact] = []) -> [String] {
        let moments = state.withLock { state in
            let all = facts + evidence.filter { !$0.isPacket }
            let near = state.packets.moments(around: instant, all) + state.lines.moments(around: instant, all)
            let named = evidence + facts.filter { $0.kind == .packet(.refused) }
            let notable = named.flatMap { state.notable.packets(of: $0) }.filter { notable in
                !near.contains { $0.instant == notable.instant && $0.entry.words == Entry.packet(notable.packet).words }
            }
            return near + notable.map { ($0.instant, Entry.packet($0.packet)) }
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

extension Fact {
    fileprivate var isPacket: Bool { if case .packet = kind { true } else { false } }
}
