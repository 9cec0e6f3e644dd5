/// Pending events, ordered by instant and then by insertion.
///
/// The queue returns a ticket for each event and later returns the tickets in order. The events themselves are stored
/// by the owner, in an array at `ticket.slot`. The queue therefore is not generic and holds no reference counts, so it
/// is as fast from another module as from this one.
///
///     let slot = queue.insert(due: instant).slot
///     if slot == events.count { events.append(event) } else { events[slot] = event }
///     while let ticket = queue.takeFirst(dueBy: limit) { play(events[ticket.slot]) }
///
/// Slots are reused as soon as they are free. Tickets are not: they contain the number of their insertion, so an
/// outdated ticket matches nothing. Events that are due at once, most of them in a large simulation, go to a line and
/// bypass the heap. Cancelled events keep their turn in the heap until it comes up, or until such turns are the
/// majority and are swept out. Therefore `insert` and `takeFirst` take O(log n), `cancel` takes O(1) on average, and
/// memory stays within twice the number of pending events.
public struct EventQueue: Sendable {
    /// Identifies one event: the number of its insertion and, in the low bits, its slot.
    public struct Ticket: Hashable, Sendable {
        fileprivate let place: UInt64
        /// Index at which the owner stores the event; free again once the event is taken or cancelled.
        public var slot: Int { Int(place & (1 << slotBits - 1)) }
    }

    private struct Turn: Comparable {
        let due: Instant
        let ticket: Ticket
        static func < (left: Turn, right: Turn) -> Bool {
            left.due == right.due ? left.ticket.place < right.ticket.place : left.due < right.due
        }
    }

    /// 2²⁴ − 1 events at once and 2⁴⁰ over the life of a queue: twelve days at a million per second.
    private static let slotBits: UInt64 = 24

    /// The instant of the last event taken, or the last argument of `advance`.
    public private(set) var now = Instant.start
    /// Lower bound for the due time of every event inserted for a later instant, including cancelled ones.
    public private(set) var earliest = Instant.never
    private var places: [UInt64] = []  // by slot: the ticket's place or, if free, the next free slot
    private var free: UInt64 = 0  // the slot freed last, counted from 1; 0: none
    private var heap: [Turn] = []
    private var isFirstTaken = false  // the heap's first turn is gone; the next one pushed replaces it
    private var line: [Ticket] = []  // inserted at `now` for `now`; taken up to `head`
    private var head = 0
    private var insertions: UInt64 = 0

    /// An empty queue.
    public init() {}

    /// Number of pending events.
    public private(set) var count = 0

    /// Number of pending events, plus cancelled ones not swept out yet.
    var turns: Int { heap.count - (isFirstTaken ? 1 : 0) + line.count - head }

    /// Inserts an event after those already due at `due`; an instant in the past counts as now.
    public mutating func insert(due: Instant) -> Ticket {
        if free == 0 {
            places.append(0)
            free = UInt64(places.count)
        }
        let slot = Int(free) - 1
        free = places[slot]
        precondition(places.count < 1 << Self.slotBits, "more events than slots")
        insertions += 1
        let ticket = Ticket(place: insertions << Self.slotBits | UInt64(slot))
        places[slot] = ticket.place
        count += 1
        if due <= now { line.append(ticket) } else { push(Turn(due: due, ticket: ticket)) }
        return ticket
    }

    /// Cancels an event; returns false if it was taken or cancelled before.
    @discardableResult
    public mutating func cancel(_ ticket: Ticket) -> Bool {
        guard vacate(ticket) else { return false }
        if heap.count > 2 * count + 64 { sweep() }
        return true
    }

    /// When the next event is due; nil if the queue is empty.
    public mutating func firstDue() -> Instant? {
        if head < line.count, line[head...].contains(where: isPending) { return now }
        removeTaken()
        while let first = heap.first, !isPending(first.ticket) { pop() }
        return heap.first?.due
    }

    /// Takes the next event if it is due by `limit`, and makes its instant `now`.
    public mutating func takeFirst(dueBy limit: Instant) -> Ticket? {
        guard limit >= now else { return nil }
        // The heap's events for `now` were inserted earlier than those in the line.
        if head < line.count, let ticket = takeFromHeap(dueBy: now) ?? takeFromLine() { return ticket }
        return takeFromHeap(dueBy: limit)
    }

    /// Sets `now` to `instant` unless an event is due before it.
    public mutating func advance(to instant: Instant) {
        guard instant > now, firstDue().map({ $0 >= instant }) ?? true else { return }
        // The line is empty: its events were due earlier.
        now = instant
    }

    private mutating func takeFromHeap(dueBy limit: Instant) -> Ticket? {
        guard earliest <= limit else { return nil }
        removeTaken()
        while let first = heap.first, first.due <= limit {
            if vacate(first.ticket) {
                isFirstTaken = true
                earliest = heap.count > 2 ? min(heap[1].due, heap[2].due) : heap.count > 1 ? heap[1].due : .never
                now = first.due
                return first.ticket
            }
            pop()
        }
        return nil
    }

    private mutating func takeFromLine() -> Ticket? {
        while head < line.count {
            let ticket = line[head]
            head += 1
            if head == 256 {
                line.removeFirst(head)
                head = 0
            }
            if vacate(ticket) { return ticket }
        }
        return nil
    }

    private func isPending(_ ticket: Ticket) -> Bool { places[ticket.slot] == ticket.place }

    private mutating func vacate(_ ticket: Ticket) -> Bool {
        guard isPending(ticket) else { return false }
        places[ticket.slot] = free
        free = UInt64(ticket.slot) + 1
        count -= 1
        return true
    }

    private mutating func push(_ turn: Turn) {
        earliest = min(earliest, turn.due)
        if isFirstTaken {
            isFirstTaken = false
            return sink(turn, from: 0)
        }
        heap.append(turn)
        var turns = heap.mutableSpan
        var child = turns.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard turn < turns[parent] else { break }
            turns[child] = turns[parent]
            child = parent
        }
        turns[child] = turn
    }

    /// Delays moving the last turn up: the next event is usually inserted before another is taken, and fills the gap.
    private mutating func removeTaken() {
        guard isFirstTaken else { return }
        isFirstTaken = false
        pop()
    }

    private mutating func pop() {
        let last = heap.removeLast()
        if !heap.isEmpty { sink(last, from: 0) }
        earliest = heap.first?.due ?? .never
    }

    /// Places `turn` at `parent` or below.
    private mutating func sink(_ turn: Turn, from parent: Int) {
        var turns = heap.mutableSpan
        var parent = parent
        while 2 * parent + 1 < turns.count {
            var child = 2 * parent + 1
            if child + 1 < turns.count, turns[child + 1] < turns[child] { child += 1 }
            guard turns[child] < turn else { break }
            turns[parent] = turns[child]
            parent = child
        }
        turns[parent] = turn
    }

    /// Removes the turns of cancelled events and rebuilds the heap.
    private mutating func sweep() {
        removeTaken()
        heap.removeAll { places[$0.ticket.slot] != $0.ticket.place }
        for parent in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(heap[parent], from: parent) }
        earliest = heap.first?.due ?? .never
    }
}
