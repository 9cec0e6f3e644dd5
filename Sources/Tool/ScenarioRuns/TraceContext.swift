package import CommandSupport
package import EventLog
import Expectations
package import Scenarios
package import Simulation
import Synchronization
import TextFormatting
import VirtualWorld

/// The trace around failures: the packets between the client's host and its controller, and the client's lines.
///
/// An instant can be marked shortly before or after its packets arrive.  The memory is bounded.
package final class TraceContext: Sendable {
    private enum Entry: Sendable {
        case packet(PacketDescription)
        case line(String)

        var words: String {
            switch self {
            case .packet(let packet): Narrator.words(packet)
            case .line(let line): "client: \(line)"
            }
        }
    }

    /// Entries of one kind, around all marked instants.
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

        mutating func mark(_ instant: Instant) {
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

    /// The maximum number of marked instants.
    private static let maximum = 16

    private let firstClient: UInt16
    private let state = Mutex(State())

    /// Records the clients of a scenario, whose controllers follow those of its devices.
    package init(_ scenario: Scenario) { firstClient = UInt16(clamping: scenario.devices.count) }

    func mark(_ instant: Instant) {
        state.withLock { state in
            guard state.instants.count < Self.maximum, !state.instants.contains(instant) else { return }
            state.instants.append(instant)
            state.packets.mark(instant)
            state.lines.mark(instant)
        }
    }

    func mark(_ rulings: [Judge.Ruling]) {
        for ruling in rulings where ruling.verdict == .fail { mark(ruling.at) }
    }

    /// Records packets, except receipts and advertisements.
    package func take(_ chunk: PacketChunk) {
        for record in chunk.records where record.controller >= firstClient {
            guard let packet = PacketDescription(unlessRoutine: record, in: chunk) else { continue }
            state.withLock { $0.packets.take(.packet(packet), at: record.instant) }
        }
    }

    /// Records the client's lines.
    package func take(_ chunk: EventChunk) {
        for (instant, octets) in chunk.lines {
            let line = String(decoding: octets, as: UTF8.self).abbreviated
            state.withLock { $0.lines.take(.line(line), at: instant) }
        }
    }

    /// The lines around a marked instant, in chronological order.
    package func lines(around instant: Instant) -> [String] {
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

extension BuiltInClientRun {
    /// The trace around the failures of a finished run: plays it again, with identical packets.
    package func traceContext(of configuration: RunConfiguration) throws(CommandFailure) -> TraceContext? {
        guard host.world.rulings.contains(where: { $0.verdict == .fail }) else { return nil }
        let traceContext = TraceContext(configuration.scenario)
        traceContext.mark(host.world.rulings)
        var world = try configuration.world()
        world.packets = PacketLog { traceContext.take($0) }
        world.journal = EventJournal { traceContext.take($0) }
        world.judgeExpectations()
        var again = try BuiltInClientRun(configuration, in: world, nil)
        again.play { _, _ in }
        again.host.world.packets.flush()
        again.host.world.journal.flush()
        return traceContext
    }
}
