import Basics
import BlueZServer
import Synchronization

/// What the programs of a played system asked of it, and when it was not there: explains why a program does not go on.
struct ProgramHistory: Sendable {
    private static let maximumEntries = 2048
    /// The methods by which a program looks for a device.
    private static let searches = ["StartDiscovery", "StopDiscovery", "Connect", "RegisterMonitor"]

    /// In order.
    private var entries: [(at: Instant, note: ServiceNote)] = []

    mutating func take(_ note: ServiceNote, at now: Instant) {
        switch note {
        case .called, .failed, .turned: break
        case .received, .answered: return  // the event log has them
        }
        entries.append((now, note), ofAtMost: Self.maximumEntries)
    }

    /// Why a program may have done nothing more until an instant, for at least `patience`; nil if that is not known.
    func explanation(at instant: Instant, after patience: Duration) -> String? {
        let entries = entries.filter { $0.at <= instant }
        func isOld(_ at: Instant) -> Bool { at.advanced(by: patience) <= instant }
        if let why = idleness(entries, isOld) { return why }
        let place = entries.lastIndex { entry in
            if case .called(let method) = entry.note { Self.searches.contains(method) } else { false }
        }
        guard let place, case .called(let method) = entries[place].note,
            case (let at, .failed(method, let error))? = entries[place...].first(where: { entry in
                if case .failed(method, _) = entry.note { true } else { false }
            }), isOld(at)
        else { return nil }
        return "\(method) failed at \(at) s (\(error)), and the program has not tried again"
    }

    /// A program that does not act although the service, or the adapter, is back.
    private func idleness(
        _ entries: [(at: Instant, note: ServiceNote)], _ isOld: (Instant) -> Bool
    ) -> String? {
        let changes = entries.indices.filter { if case .turned = entries[$0].note { true } else { false } }
        guard let back = changes.last, case .turned(let part, true) = entries[back].note, isOld(entries[back].at),
            let left = changes.last(where: { entries[$0].note == .turned(part, isOn: false) })
        else { return nil }
        func calls(since place: Int) -> [String] {
            entries[place...].compactMap { if case .called(let method) = $0.note { method } else { nil } }
        }
        let name = part == .service ? "org.bluez" : "the adapter"
        let start = "\(name) was away from \(entries[left].at) s to \(entries[back].at) s"
        if calls(since: left).isEmpty { return "\(start), and the program has called nothing since: it did not notice" }
        guard !calls(since: back).contains(where: Self.searches.contains) else { return nil }
        return "\(start), and the program has neither scanned nor connected since"
    }
}

/// The history of the programs of a case, which grows while it is played.
final class ProgramHistories: Sendable {
    private let state = Mutex(ProgramHistory())

    var history: ProgramHistory { state.withLock { $0 } }

    func take(_ note: ServiceNote, at now: Instant) { state.withLock { $0.take(note, at: now) } }
}
