import Basics

/// The future events of a world, ordered by instant and then by insertion.
///
/// Most events are due at once; they are in a list, which is much faster than the queue.
struct EventSchedule: Sendable {
    /// Identifies an event until it is taken.
    enum Ticket: Sendable {
        /// By its index in `present`.
        case present(Int)
        case queued(EventQueue.Ticket)
    }

    private var queue = EventQueue()
    private var queued: [World.Event] = []  // by slot of the queue
    private var present = OutputQueue<World.Event>()  // inserted at `now` for `now`

    /// The instant of the event taken last, or of the last `advance`.
    private(set) var now = Instant.start

    /// When the next event is due; nil if there is none.
    var nextDue: Instant? { mutating get { !present.isEmpty ? now : queue.firstDue() } }

    /// Adds an event after those of the same instant; one that is overdue is due now.
    @discardableResult
    mutating func insert(_ event: World.Event, due: Instant) -> Ticket {
        guard due > now else {
            present.added.append(event)
            return .present(present.added.count - 1)
        }
        let ticket = queue.insert(due: due)
        if ticket.slot == queued.count { queued.append(event) } else { queued[ticket.slot] = event }
        return .queued(ticket)
    }

    /// Cancels an event that has not been taken.
    mutating func cancel(_ ticket: Ticket) {
        switch ticket {
        case .present(let place): present.added[place] = .cancelled
        case .queued(let ticket): queue.cancel(ticket)
        }
    }

    /// Takes the next event, if it is due by `limit`; `now` becomes its instant.
    mutating func takeFirst(dueBy limit: Instant) -> World.Event? {
        guard limit >= now else { return nil }
        // Events of the queue that are due now were inserted before those of the list.
        let queueLimit = present.isEmpty ? limit : now
        guard queue.earliest <= queueLimit, let ticket = queue.takeFirst(dueBy: queueLimit) else {
            return present.takeFirst()
        }
        now = queue.now
        return queued[ticket.slot]
    }

    /// Makes `instant` the present if nothing is due before it.
    mutating func advance(to instant: Instant) {
        guard present.isEmpty else { return }
        queue.advance(to: instant)
        now = queue.now
    }
}
