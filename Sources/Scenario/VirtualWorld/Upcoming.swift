import Simulation

/// What is to happen in a world: by instant, and then by insertion.
///
/// What is to happen now is most of it, and stands in a line of its own, which costs a fraction of a turn in the queue.
struct Upcoming: Sendable {
    /// What names an event until it has been taken.
    enum Ticket: Sendable {
        /// By its place in the line.
        case present(Int)
        case queued(EventQueue.Ticket)
    }

    private var queue = EventQueue()
    private var queued: [World.Event] = []  // by the slots of the queue
    private var present = OutputQueue<World.Event>()  // inserted at `now` for `now`

    /// The instant of the event taken last, or that `advance` named.
    var now: Instant { queue.now }

    /// When the next event is due; nil when nothing is to happen any more.
    var nextDue: Instant? { mutating get { !present.isEmpty ? now : queue.firstDue() } }

    /// The next place among the events of `due`; what is overdue happens now.
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

    /// Of an event that has not been taken.
    mutating func cancel(_ ticket: Ticket) {
        switch ticket {
        case .present(let place): present.added[place] = .cancelled
        case .queued(let ticket): queue.cancel(ticket)
        }
    }

    /// The next event, if it is due by `limit`; its instant is then `now`.
    mutating func takeFirst(dueBy limit: Instant) -> World.Event? {
        guard limit >= now else { return nil }
        // What the queue has for now was inserted before it was now, and so before the line.
        let queueLimit = present.isEmpty ? limit : now
        if queue.earliest <= queueLimit, let ticket = queue.takeFirst(dueBy: queueLimit) { return queued[ticket.slot] }
        return present.takeFirst()
    }

    /// Makes `instant` the present when nothing is due before it.
    mutating func advance(to instant: Instant) {
        if present.isEmpty { queue.advance(to: instant) }
    }
}
