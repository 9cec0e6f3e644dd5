/// The order of what is to happen: by instant, and then by insertion.
///
/// The queue hands out a ticket for each event and gives the tickets back in order; what the event
/// *is* lies with the owner, at `ticket.slot` of an array of its own.  So the queue is neither generic nor
/// holds anything that is counted, and is as fast from another module as from this one.
///
///     let slot = queue.insert(due: instant).slot
///     if slot == events.count { events.append(event) } else { events[slot] = event }
///     while let ticket = queue.takeFirst(dueBy: limit) { play(events[ticket.slot]) }
///
/// Slots are used again as soon as they are free; a ticket is not, since the number of the insertion is
/// part of it: an old one finds nothing.  What is due at once stands in a line instead of going through the heap:
/// that is most of what happens in a crowd of devices, and the heap is then deep.  A cancelled event leaves its
/// turn in the heap, which is passed over when it comes up; when such turns are the majority, they are swept
/// out.  Thus `insert` and `takeFirst` take O(log n), `cancel` O(1) on average, and the memory stays within twice
/// of what is pending.
public struct EventQueue: Sendable {
    /// One event; `place` is the number of its insertion and, in the low bits, its slot.
    public struct Ticket: Hashable, Sendable {
        fileprivate let place: UInt64
        /// Where the owner keeps the event; free again when the event has been taken or cancelled.
        public var slot: Int { Int(place & (1 << slotBits - 1)) }
    }

    private struct Turn: Comparable {
        let due: Instant
        let ticket: Ticket
        static func < (left: Turn, right: Turn) -> Bool {
            left.due == right.due ? left.ticket.place < right.ticket.place : left.due < right.due
        }
    }

    /// 2²⁴ − 1 events at once, and 2⁴⁰ in the life of a queue: twelve days at a million a second.
    private static let slotBits: UInt64 = 24

    /// The instant of the event taken last, or that `advance` named.
    public private(set) var now = Instant.start
    /// Nothing that was inserted ahead of its time is due before this; what has been cancelled counts until it comes up.
    public private(set) var earliest = Instant.never
    private var places: [UInt64] = []  // the place that a slot is held by; of a free one, the next free one
    private var free: UInt64 = 0  // the slot that became free last, counted from 1; 0: none
    private var heap: [Turn] = []
    private var isFirstTaken = false  // the first of the heap is gone; the next that is pushed takes its place
    private var line: [Ticket] = []  // inserted at `now` for `now`; gone up to `head`
    private var head = 0
    private var insertions: UInt64 = 0

    /// A queue in which nothing is to happen yet.
    public init() {}

    /// How many events are still to happen.
    public private(set) var count = 0

    /// What is pending and what was cancelled and not yet swept out.
    var turns: Int { heap.count - (isFirstTaken ? 1 : 0) + line.count - head }

    /// The next place among the events of `due`; what is overdue happens now.
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

    /// False if the event has happened, or has been cancelled before.
    @discardableResult
    public mutating func cancel(_ ticket: Ticket) -> Bool {
        guard vacate(ticket) else { return false }
        if heap.count > 2 * count + 64 { sweep() }
        return true
    }

    /// When the next event is due; nil when nothing is to happen any more.
    public mutating func firstDue() -> Instant? {
        if head < line.count, line[head...].contains(where: isPending) { return now }
        removeTaken()
        while let first = heap.first, !isPending(first.ticket) { pop() }
        return heap.first?.due
    }

    /// The next event, if it is due by `limit`; it is then `now`.
    public mutating func takeFirst(dueBy limit: Instant) -> Ticket? {
        guard limit >= now else { return nil }
        // What the heap has for `now` was inserted before it was now, and so before the line.
        if head < line.count, let ticket = takeFromHeap(dueBy: now) ?? takeFromLine() { return ticket }
        return takeFromHeap(dueBy: limit)
    }

    /// Makes `instant` the present when nothing is due before it.
    public mutating func advance(to instant: Instant) {
        guard instant > now, firstDue().map({ $0 >= instant }) ?? true else { return }
        // What stands in the line was due earlier, and is gone.
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

    /// What follows an event is mostly inserted before the next is taken, and then nothing need be moved up meanwhile.
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

    /// Puts `turn` where `parent` was, or below.
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

    /// Throws the turns of cancelled events away, and makes a heap of the others from below.
    private mutating func sweep() {
        removeTaken()
        heap.removeAll { places[$0.ticket.slot] != $0.ticket.place }
        for parent in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(heap[parent], from: parent) }
        earliest = heap.first?.due ?? .never
    }
}
