import EventLog
import Expectations
import Scenarios
import Simulation
import Spelling
import Synchronization
import VirtualWorld

/// The lines of the trace around some instants: the packets between a client's host and its controller, and what the client
/// says, so that whoever reads of a fault sees it.
///
/// An instant may be named before, or soon after it was played.  However much happens, a bounded part is remembered.
final class Recollection: Sendable {
    private enum Entry: Sendable {
        case packet(PacketWording)
        case line(String)

        var words: String {
            switch self {
            case .packet(let packet): Narrator.words(packet)
            case .line(let line): "client says \(line)"
            }
        }
    }

    /// Entries of one kind, around all instants.
    private struct Recent {
        typealias Moment = (instant: Instant, entry: Entry)

        let shown: (before: Int, after: Int)
        private var last: [Moment] = []
        private var windows: [(instant: Instant, before: [Moment], after: [Moment])] = []
        private static let kept = 64

        init(before: Int, after: Int) { shown = (before, after) }

        mutating func take(_ entry: Entry, at instant: Instant) {
            if last.count >= Self.kept { last.removeFirst(Self.kept / 2) }
            last.append((instant, entry))
            for place in windows.indices { add((instant, entry), toWindow: place) }
        }

        mutating func remember(_ instant: Instant) {
            windows.append((instant, [], []))
            for moment in last { add(moment, toWindow: windows.count - 1) }
        }

        private mutating func add(_ moment: Moment, toWindow place: Int) {
            if moment.instant > windows[place].instant {
                guard windows[place].after.count < shown.after else { return }
                windows[place].after.append(moment)
            } else {
                if windows[place].before.count == shown.before { windows[place].before.removeFirst() }
                windows[place].before.append(moment)
            }
        }

        func moments(around instant: Instant) -> [Moment] {
            guard let window = windows.first(where: { $0.instant == instant }) else { return [] }
            return window.before + window.after
        }
    }

    private struct State {
        var instants: [Instant] = []
        var packets = Recent(before: 6, after: 2)
        var lines = Recent(before: 2, after: 1)
    }

    /// So many instants are remembered of a case.
    private static let most = 16

    private let firstClient: UInt16
    private let state = Mutex(State())

    /// Of a scenario's clients, whose controllers are behind those of its devices.
    init(_ scenario: Scenario) { firstClient = UInt16(clamping: scenario.devices.count) }

    /// Remembers what is around an instant.
    func remember(_ instant: Instant) {
        state.withLock { state in
            guard state.instants.count < Self.most, !state.instants.contains(instant) else { return }
            state.instants.append(instant)
            state.packets.remember(instant)
            state.lines.remember(instant)
        }
    }

    /// Remembers what is around the faults that were found so far.
    func remember(_ rulings: [Judge.Ruling]) {
        for ruling in rulings where ruling.verdict == .fail { remember(ruling.at) }
    }

    /// Takes in packets; receipts and advertisements say too little.
    func take(_ chunk: PacketChunk) {
        for record in chunk.records where record.controller >= firstClient {
            guard let packet = PacketWording(telling: record, in: chunk) else { continue }
            state.withLock { $0.packets.take(.packet(packet), at: record.instant) }
        }
    }

    /// Takes in what the client says.
    func take(_ chunk: EventChunk) {
        for (instant, octets) in chunk.lines {
            let line = String(decoding: octets, as: UTF8.self).abbreviated
            state.withLock { $0.lines.take(.line(line), at: instant) }
        }
    }

    /// The lines around an instant that is remembered, in the order of time.
    func lines(around instant: Instant) -> [String] {
        let moments = state.withLock { $0.packets.moments(around: instant) + $0.lines.moments(around: instant) }
        let order = moments.indices.sorted { (moments[$0].instant, $0) < (moments[$1].instant, $1) }
        let instants = moments.map(\.instant.description)
        let width = instants.map(\.count).max() ?? 0
        return order.map { place in
            let space = String(repeating: " ", count: width - instants[place].count)
            return "\(space)\(instants[place])  \(moments[place].entry.words)"
        }
    }
}

extension Rehearsal {
    /// The lines of the trace around the faults of a rehearsal that is over: it is played once more, for it is the same to the
    /// octet.
    func recollection(of played: Played) throws(CommandFailure) -> Recollection? {
        guard world.rulings.contains(where: { $0.verdict == .fail }) else { return nil }
        let recollection = Recollection(played.scenario)
        recollection.remember(world.rulings)
        var world = try played.world()
        world.packets = PacketLog { recollection.take($0) }
        world.journal = EventJournal { recollection.take($0) }
        world.judgeExpectations()
        var again = try Rehearsal(played, in: world, nil)
        again.play { _, _ in }
        again.world.packets.flush()
        again.world.journal.flush()
        return recollection
    }
}
