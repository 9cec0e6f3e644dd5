import Testing

@testable import Basics

/// An array that is searched: slow, and plainly right.
struct NaiveQueue {
    var events: [(due: Int64, number: Int)] = []
    mutating func takeFirst(dueBy limit: Int64) -> (due: Int64, number: Int)? {
        let first = events.min { ($0.due, $0.number) < ($1.due, $1.number) }
        guard let first, first.due <= limit else { return nil }
        events.removeAll { $0.number == first.number }
        return first
    }
    mutating func cancel(_ number: Int) -> Bool {
        let before = events.count
        events.removeAll { $0.number == number }
        return events.count < before
    }
}

/// A draw in the type that array indices have.
func below(_ draws: inout RandomStream, _ count: Int) -> Int { Int(draws.below(UInt64(count))) }

func at(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds) }

/// Takes all events, and returns which insertions came in which order.
func drain(_ queue: inout EventQueue, _ tickets: [EventQueue.Ticket]) -> [Int] {
    var order: [Int] = []
    while let ticket = queue.takeFirst(dueBy: at(.max)) { order.append(tickets.firstIndex(of: ticket) ?? -1) }
    return order
}

@Test func `Events are ordered by instant, then by insertion`() {
    var queue = EventQueue()
    let tickets = [30, 10, 20, 10, 30, 10].map { queue.insert(due: at($0)) }
    #expect(queue.firstDue() == at(10))
    #expect(drain(&queue, tickets) == [1, 3, 5, 2, 0, 4])
    #expect(queue.now == at(30))
    #expect(queue.count == 0)
    #expect(queue.firstDue() == nil)
}

@Test func `An event inserted at its due time comes after those inserted earlier`() {
    var queue = EventQueue()
    let tickets = [10, 10].map { queue.insert(due: at($0)) }
    #expect(queue.takeFirst(dueBy: at(10)) == tickets[0])
    let late = queue.insert(due: at(3))  // overdue
    #expect(queue.takeFirst(dueBy: at(10)) == tickets[1])
    #expect(queue.takeFirst(dueBy: at(10)) == late)
    #expect(queue.now == at(10))
}

@Test func `A long line at one instant keeps its order and its storage`() {
    var queue = EventQueue()
    var line = (0..<300).map { _ in queue.insert(due: .start) }
    for _ in 0..<10_000 {
        let taken = queue.takeFirst(dueBy: .start)
        #expect(taken == line.removeFirst())
        line.append(queue.insert(due: .start))
    }
    #expect(queue.turns < 600)
    queue.cancel(line.removeFirst())
    for ticket in line {
        let taken = queue.takeFirst(dueBy: .start)
        #expect(taken == ticket)
    }
    #expect(queue.firstDue() == nil)
}

@Test func `No event is early`() {
    var queue = EventQueue()
    let ticket = queue.insert(due: at(10))
    #expect(queue.takeFirst(dueBy: at(9)) == nil)
    #expect(queue.now == .start)
    #expect(queue.takeFirst(dueBy: at(10)) == ticket)
}

@Test func `A cancelled event is not taken, and an outdated ticket cancels nothing`() {
    var queue = EventQueue()
    let old = queue.insert(due: at(1))
    #expect(queue.cancel(old) == true)
    #expect(queue.cancel(old) == false)
    let new = queue.insert(due: at(1))
    #expect(new.slot == old.slot)
    #expect(queue.cancel(old) == false)
    #expect(queue.takeFirst(dueBy: at(1)) == new)
    #expect(queue.cancel(new) == false)
}

@Test func `Cancelled timeouts are swept out`() {
    var queue = EventQueue()
    let last = queue.insert(due: at(.max))
    var highest = 0
    for instant in 0..<100_000 as Range<Int64> {
        let ticket = queue.insert(due: at(instant + 30_000_000_000))
        highest = max(highest, ticket.slot)
        queue.cancel(ticket)
    }
    #expect(highest == 1)
    #expect(queue.count == 1)
    #expect(queue.turns <= 67)
    #expect(queue.takeFirst(dueBy: at(.max)) == last)
}

@Test(arguments: 0..<40 as Range<UInt64>)
func `A sweep keeps the order`(seed: UInt64) {
    var (queue, draws) = (EventQueue(), RandomStream(seed: seed))
    var pending: [(due: Int64, ticket: EventQueue.Ticket)] = []
    for _ in 0..<400 {
        let due = Int64(below(&draws, 1_000))
        pending.append((due, queue.insert(due: at(due))))
    }
    for _ in 0..<300 { queue.cancel(pending.remove(at: below(&draws, pending.count)).ticket) }
    #expect(queue.turns < 400)
    let expected = pending.enumerated().sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }
    for (_, element) in expected {
        let taken = queue.takeFirst(dueBy: at(.max))
        #expect(taken == element.ticket)
    }
    #expect(queue.count == 0)
}

@Test(arguments: 0..<40 as Range<UInt64>)
func `It behaves as a sorted array`(seed: UInt64) {
    var draws = RandomStream(seed: seed)
    var (queue, naive) = (EventQueue(), NaiveQueue())
    var tickets: [EventQueue.Ticket] = []
    var numbers: [Int: Int] = [:]  // by slot: what the owner keeps there
    let (spread, takes, cancels) = (1 + below(&draws, 50), 1 + below(&draws, 4), below(&draws, 4))
    for _ in 0..<3_000 {
        switch below(&draws, 4 + takes + cancels) {
        case 0..<4:
            let due = max(queue.now.nanoseconds, queue.now.nanoseconds + Int64(below(&draws, spread)) - 3)
            let ticket = queue.insert(due: at(due))
            numbers[ticket.slot] = tickets.count
            naive.events.append((due, tickets.count))
            tickets.append(ticket)
        case 4..<4 + takes:
            let limit = queue.now.nanoseconds + Int64(below(&draws, spread))
            let expected = naive.takeFirst(dueBy: limit)
            let taken = queue.takeFirst(dueBy: at(limit))
            #expect(taken.flatMap { numbers[$0.slot] } == expected.map { $0.number })
            if let expected { #expect(queue.now == at(expected.due)) }
        default:
            guard !tickets.isEmpty else { continue }
            let number = below(&draws, tickets.count)
            let (isCancelled, expected) = (queue.cancel(tickets[number]), naive.cancel(number))
            #expect(isCancelled == expected)
        }
        #expect(queue.count == naive.events.count)
        let first = queue.firstDue()
        #expect(first?.nanoseconds == naive.events.map(\.due).min())
    }
    while let expected = naive.takeFirst(dueBy: .max) {
        let taken = queue.takeFirst(dueBy: at(.max))
        #expect(taken.flatMap { numbers[$0.slot] } == expected.number)
    }
    #expect(queue.takeFirst(dueBy: at(.max)) == nil)
}
