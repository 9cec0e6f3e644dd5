import ATT
import Simulation

/// The server's side of ATT's indications: one is under way at most, and it is confirmed in 30 seconds or the bearer is
/// of no use any more.  Core 6.0, Vol 3, Part F, sections 3.3.2 and 3.3.3.
///
///     idle ──indication──▶ waiting ──confirmation──▶ idle, or the next
///                             └──────30 s────▶ lost
struct Indications: Sendable {
    struct Indication: Sendable {
        let handle: UInt16
        let value: [UInt8]
    }

    /// What the attributes are to an indication that is under way.
    enum Age {
        /// They are as they were.
        case current
        /// They have changed since.
        case outdated
        /// The attribute that it is of is not there any more.
        case orphaned
    }

    private enum State { case idle, waiting(UInt16, until: Instant, Age), lost }

    private var state = State.idle
    private var waiting: [Indication] = []

    var isLost: Bool { if case .lost = state { true } else { false } }
    var isFull: Bool { waiting.count >= Server.mostIndications }

    mutating func add(_ indication: Indication) { waiting.append(indication) }

    /// Goes before what waits already, however much that is.
    mutating func addFirst(_ indication: Indication) { waiting.insert(indication, at: 0) }

    /// The client does not want this value any more.
    mutating func drop(_ handle: UInt16) { waiting.removeAll { $0.handle == handle } }

    /// Takes what waits out of the queue, of a value or of all.
    mutating func take(_ handle: UInt16? = nil) -> [Indication] {
        let taken = waiting.filter { handle == nil || $0.handle == handle }
        waiting.removeAll { handle == nil || $0.handle == handle }
        return taken
    }

    /// Of which value one is under way.
    var underWay: UInt16? { if case .waiting(let handle, _, _) = state { handle } else { nil } }

    /// What is under way says nothing of what has its handle now.
    mutating func orphan() {
        if case .waiting(let handle, let deadline, _) = state { state = .waiting(handle, until: deadline, .orphaned) }
    }

    /// What is under way says nothing of the attributes as they are now.
    mutating func databaseChanged() {
        guard case .waiting(let handle, let deadline, .current) = state else { return }
        state = .waiting(handle, until: deadline, .outdated)
    }

    /// What is to be sent now, and until when it has to be confirmed.
    mutating func next(at now: Instant) -> (indication: Indication, deadline: Instant)? {
        guard case .idle = state, !waiting.isEmpty else { return nil }
        let (indication, deadline) = (waiting.removeFirst(), now.advanced(by: Requester.transactionTimeout))
        state = .waiting(indication.handle, until: deadline, .current)
        return (indication, deadline)
    }

    /// The handle of the value that is confirmed, and whether the attributes have changed since; nil when none is under
    /// way.
    mutating func confirm() -> (handle: UInt16, age: Age)? {
        guard case .waiting(let handle, _, let age) = state else { return nil }
        state = .idle
        return (handle, age)
    }

    /// Whether the bearer was lost just now.
    mutating func timePassed(at now: Instant) -> Bool {
        guard case .waiting(_, let deadline, _) = state, deadline <= now else { return false }
        state = .lost
        waiting = []
        return true
    }
}
