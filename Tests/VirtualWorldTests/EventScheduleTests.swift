import Basics
import Testing

@testable import VirtualWorld

/// A list that is searched: slow, and plainly right.
private struct NaiveList {
    var now: Int64 = 0
    var events: [(due: Int64, number: Int)] = []

    mutating func takeFirst(dueBy limit: Int64) -> Int? {
        let first = events.min { ($0.due, $0.number) < ($1.due, $1.number) }
        guard let first, limit >= now, first.due <= limit else { return nil }
        now = first.due
        events.removeAll { $0.number == first.number }
        return first.number
    }
}

@Suite struct EventScheduleTests {
    private static func number(_ event: World.Event?) -> Int? {
        if case .hostWake(let number)? = event { number } else { nil }
    }

    /// The next event that was not cancelled.
    private static func takeFirst(_ schedule: inout EventSchedule, dueBy limit: Int64) -> Int? {
        while let event = schedule.takeFirst(dueBy: Instant(nanoseconds: limit)) {
            if let number = number(event) { return number }
        }
        return nil
    }

    @Test func `An event added now comes after those added before for now`() {
        var schedule = EventSchedule()
        for number in 0..<2 { schedule.insert(.hostWake(node: number), due: Instant(nanoseconds: 10)) }
        #expect(Self.takeFirst(&schedule, dueBy: 10) == 0)
        schedule.insert(.hostWake(node: 2), due: Instant(nanoseconds: 3))  // overdue
        #expect(Self.takeFirst(&schedule, dueBy: 9) == nil)
        #expect(schedule.nextDue == Instant(nanoseconds: 10))
        #expect(Self.takeFirst(&schedule, dueBy: .max) == 1)
        #expect(Self.takeFirst(&schedule, dueBy: .max) == 2)
        #expect(schedule.nextDue == nil)
    }

    @Test func `An advance skips no event`() {
        var schedule = EventSchedule()
        schedule.insert(.hostWake(node: 0), due: .start)
        schedule.advance(to: Instant(nanoseconds: 5))
        #expect(schedule.now == .start)
        #expect(Self.takeFirst(&schedule, dueBy: 0) == 0)
        schedule.advance(to: Instant(nanoseconds: 5))
        #expect(schedule.now == Instant(nanoseconds: 5))
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `The order is that of a searched list`(seed: UInt64) {
        var draws = RandomStream(seed: seed)
        var (schedule, naive) = (EventSchedule(), NaiveList())
        var tickets: [EventSchedule.Ticket] = []
        for _ in 0..<3000 {
            switch draws.below(8) {
            case 0..<4:
                let due = naive.now + Int64(draws.below(4)) * Int64(draws.below(30))
                naive.events.append((due, tickets.count))
                let event = World.Event.hostWake(node: tickets.count)
                tickets.append(schedule.insert(event, due: Instant(nanoseconds: due)))
            case 4..<7:
                let limit = naive.now + Int64(draws.below(20))
                let expected = naive.takeFirst(dueBy: limit)
                #expect(Self.takeFirst(&schedule, dueBy: limit) == expected)
            default:
                guard !naive.events.isEmpty else { continue }
                let place = Int(draws.below(UInt64(naive.events.count)))
                schedule.cancel(tickets[naive.events.remove(at: place).number])
            }
        }
        while let expected = naive.takeFirst(dueBy: .max) {
            #expect(Self.takeFirst(&schedule, dueBy: .max) == expected)
        }
        #expect(Self.takeFirst(&schedule, dueBy: .max) == nil)
    }
}
