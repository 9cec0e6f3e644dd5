import Glibc
import Synchronization
import Testing

@testable import Basics

/// Followers that sleep until deadlines, and do what the test says when they wake.
private final class FakeFollowers: Followers {
    struct State {
        var deadlines: [Instant]
        var busyUntil = Instant.start
        var now = Instant.start
    }

    let state: Mutex<State>
    private let wake: @Sendable (inout State) -> Void

    init(_ deadlines: [Instant] = [], wake: @escaping @Sendable (inout State) -> Void = { _ in }) {
        state = Mutex(State(deadlines: deadlines))
        self.wake = wake
    }

    func noteStimulus() {}
    func wait() -> FollowerActivity { .asleep }
    var nextDeadline: Instant { state.withLock { $0.deadlines.first ?? .never } }
    var busyUntil: Instant { state.withLock { $0.busyUntil } }
    func set(_ now: Instant) { state.withLock { $0.now = now } }

    func wakeFirst() {
        state.withLock { state in
            guard let first = state.deadlines.first, first <= state.now else { return }
            state.deadlines.removeFirst()
            wake(&state)
        }
    }
}

private func instant(_ milliseconds: Int64) -> Instant { .start.advanced(by: .milliseconds(milliseconds)) }

@Suite struct LeadingLoopTests {
    @Test func `Output of a charged turn is read when the turn is over, before the events of that instant`() throws {
        var ends: [CInt] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        let (source, sink) = (ends[0], ends[1])
        defer { for end in [source, sink] { close(end) } }
        let followers = FakeFollowers([instant(10)]) { state in
            var octet: UInt8 = 1
            _ = unsafe write(sink, &octet, 1)
            state.busyUntil = state.now.advanced(by: .milliseconds(30))
        }
        let (loop, journal) = (EventLoop(leading: followers), Journal<String>())
        try loop.run {
            let watch = loop.watch(source, for: .readable) {
                var octet: UInt8 = 0
                if unsafe read(source, &octet, 1) > 0 { journal.write("read at \(loop.now)") }
            }
            for due in [20, 40, 50] as [Int64] {
                loop.call(at: instant(due)) { journal.write("event at \(loop.now)") }
            }
            try await loop.sleep(until: instant(60))
            loop.cancel(watch)
        }
        let times = ([20, 40, 40, 50] as [Int64]).map { "\(instant($0))" }
        #expect(
            journal.entries == [
                "event at \(times[0])", "read at \(times[1])", "event at \(times[2])", "event at \(times[3])",
            ])
    }

    @Test func `At a factor, virtual time waits for the machine's clock, and does not catch up what was lost`() {
        var pace = LeadingPace(factor: 10)
        // At 300 ms, 100 ms are lost, and are caught up; at 5 s it is more.
        let instants: [(next: Int64, machine: Int64)] = [
            (1000, 0), (1000, 60), (1000, 100), (2000, 300), (4000, 300), (4000, 5000), (5000, 5000),
        ]
        let waits = instants.map { next, machine in
            pace.wait(before: instant(next), at: .milliseconds(machine))
        }
        #expect(waits == [100, 40, 0, 0, 100, 0, 100].map { .milliseconds($0) })
        var slow = LeadingPace(factor: 0.5)
        let wait = slow.wait(before: instant(1000), at: .zero)
        #expect(wait == .seconds(2))
    }

    @Test func `At a factor, a loop with followers takes that part of real time, until it leaves the clock`() throws {
        let loop = EventLoop(leading: FakeFollowers(), factor: 20)
        let begin = ContinuousClock.now
        try loop.run { try await loop.sleep(until: instant(1000)) }
        let paced = begin.duration(to: .now)
        #expect(paced >= .milliseconds(50))
        loop.leaveClock()
        // 1000 h.
        try loop.run { try await loop.sleep(until: instant(3_600_000_000)) }
        #expect(loop.now == instant(3_600_000_000))
    }
}
