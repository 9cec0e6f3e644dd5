import ATT
import Basics

/// The server's indications: at most one is unconfirmed, and the bearer is lost if no confirmation arrives within 30 s.
/// Core 6.0, Vol 3, Part F, sections 3.3.2 and 3.3.3.
///
///     idle ──indication──▶ waiting ──confirmation──▶ idle, or the next
///                             └──────30 s────▶ lost
struct Indications: Sendable {
    struct Indication: Sendable {
        let handle: UInt16
        let value: [UInt8]
    }

    /// How the attributes changed after an indication was sent.
    enum Age {
        /// Not at all.
        case current
        /// Some changed.
        case outdated
        /// The indicated attribute is gone.
        case orphaned
    }

    private enum State { case idle, waiting(UInt16, until: Instant, Age), lost }

    private var state = State.idle
    private var waiting: [Indication] = []

    var isLost: Bool { if case .lost = state { true } else { false } }
    var isFull: Bool { waiting.count >= Server.maximumPendingIndications }

    mutating func add(_ indication: Indication) { waiting.append(indication) }

    /// Puts an indication at the head of the queue, even if the queue is full.
    mutating func addFirst(_ indication: Indication) { waiting.insert(indication, at: 0) }

    /// Drops the queued indications of a value.
    mutating func drop(_ handle: UInt16) { waiting.removeAll { $0.handle == handle } }

    /// Removes and returns the queued indications of one value, or of all.
    mutating func take(_ handle: UInt16? = nil) -> [Indication] {
        let taken = waiting.filter { handle == nil || $0.handle == handle }
        waiting.removeAll { handle == nil || $0.handle == handle }
        return taken
    }

    /// The handle of the unconfirmed indication.
    var inFlight: UInt16? { if case .waiting(let handle, _, _) = state { handle } else { nil } }

    /// The attribute of the unconfirmed indication is gone.
    mutating func orphan() {
        if case .waiting(let handle, let deadline, _) = state { state = .waiting(handle, until: deadline, .orphaned) }
    }

    /// The attributes changed after the unconfirmed indication was sent.
    mutating func databaseChanged() {
        guard case .waiting(let handle, let deadline, .current) = state else { return }
        state = .waiting(handle, until: deadline, .outdated)
    }

    /// The indication to send now, and the deadline for its confirmation.
    mutating func next(at now: Instant) -> (indication: Indication, deadline: Instant)? {
        guard case .idle = state, !waiting.isEmpty else { return nil }
        let (indication, deadline) = (waiting.removeFirst(), now.advanced(by: Requester.transactionTimeout))
        state = .waiting(indication.handle, until: deadline, .current)
        return (indication, deadline)
    }

    /// The handle of the confirmed value, and whether the attributes have changed; nil if none is unconfirmed.
    mutating func confirm() -> (handle: UInt16, age: Age)? {
        guard case .waiting(let handle, _, let age) = state else { return nil }
        state = .idle
        return (handle, age)
    }

    /// Whether the deadline has just passed, so that the bearer is lost.
    mutating func timePassed(at now: Instant) -> Bool {
        guard case .waiting(_, let deadline, _) = state, deadline <= now else { return false }
        state = .lost
        waiting = []
        return true
    }
}
