import Glibc
import Synchronization
import Testing

@testable import Basics

/// What the tasks of a test wrote, in the order in which they wrote it.
final class Journal<Entry: Sendable & Equatable>: Sendable {
    private let written = Mutex<[Entry]>([])
    func write(_ entry: Entry) { written.withLock { $0.append(entry) } }
    var entries: [Entry] { written.withLock { $0 } }
}

/// An actor on a loop: the loop is its executor, so that calls to it do not suspend.
actor Walker {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private(set) var steps = 0
    init(on loop: EventLoop) { self.loop = loop }
    func step() { steps += 1 }

    func walk(_ count: Int) async throws {
        for _ in 0..<count {
            try await loop.sleep(for: .milliseconds(500))
            step()
        }
    }
}

@Suite struct EventLoopTests {
    let loop = EventLoop()

    @Test func `100 000 sleeps end by instant, then by insertion, the same way twice`() throws {
        struct Waking: Equatable { let due: Instant, sleeper: Int, present: Instant }
        func wakings(seed: UInt64) throws -> [Waking] {
            let (loop, journal) = (EventLoop(), Journal<Waking>())
            try loop.run {
                await withDiscardingTaskGroup { group in
                    for sleeper in 0..<100 {
                        group.addTask {
                            var random = RandomStream(seed: seed).stream("sleeper \(sleeper)")
                            for _ in 0..<1000 {
                                let due = loop.now.advanced(by: .microseconds(random.below(10)))
                                try? await loop.sleep(until: due)
                                journal.write(Waking(due: due, sleeper: sleeper, present: loop.now))
                            }
                        }
                    }
                }
            }
            #expect(loop.crossThreadInsertions == 0)
            return journal.entries
        }
        let first = try wakings(seed: 7)
        #expect(first.count == 100_000)
        #expect(first.allSatisfy { $0.due == $0.present })
        #expect(zip(first, first.dropFirst()).allSatisfy { $0.due <= $1.due })
        #expect(try first == wakings(seed: 7))
        #expect(try first != wakings(seed: 8))
        // The same in debug and release builds, and on every machine.
        #expect(first.reduce(0 as UInt64) { $0 &* 31 &+ UInt64($1.sleeper) } == 2_108_125_805_140_166_212)
    }

    @Test func `Events at one instant run in the order of insertion`() throws {
        let journal = Journal<Int>()
        try loop.run { [loop] in
            for number in 0..<100 { loop.call(at: .start.advanced(by: .seconds(1))) { journal.write(number) } }
            try await loop.sleep(for: .seconds(1))
        }
        #expect(journal.entries == Array(0..<100))
    }

    @Test func `Cancelling wakes a sleeper at once`() throws {
        try loop.run { [loop] in
            let sleeper = loop.start { try await loop.sleep(for: .seconds(60)) }
            loop.call(at: .start.advanced(by: .seconds(1))) { sleeper.cancel() }
            await #expect(throws: CancellationError.self) { try await sleeper.value }
            #expect(loop.now == .start.advanced(by: .seconds(1)))
        }
    }

    @Test func `A cancelled call does not happen`() throws {
        try loop.run { [loop] in
            loop.call(at: .start.advanced(by: .seconds(1))) { Issue.record("it was cancelled") }.cancel()
            try await loop.sleep(for: .seconds(2))
        }
    }

    @Test func `A timeout ends only what takes longer`() throws {
        try loop.run { [loop] in
            let answer = try await loop.withTimeout(.seconds(30)) { "in time" }
            #expect(answer == "in time")
            #expect(loop.now == .start)
            await #expect(throws: TimedOut(after: .seconds(30))) {
                try await loop.withTimeout(.seconds(30)) { try await loop.sleep(for: .seconds(31)) }
            }
            #expect(loop.now == .start.advanced(by: .seconds(30)))
        }
    }

    @Test func `A deadlock is reported, not waited for`() {
        #expect(throws: EventLoop.Stalled(at: .start)) { () throws -> Void in
            try loop.run {
                let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
                for await _ in stream {}
                continuation.finish()
            }
        }
    }

    @Test func `Actors and children of tasks stay on the loop`() throws {
        try loop.run { [loop] in
            let (ann, ben) = (Walker(on: loop), Walker(on: loop))
            async let one: Void = ann.walk(4)
            async let other: Void = ben.walk(2)
            _ = try await (one, other)
            #expect(await (ann.steps, ben.steps) == (4, 2))
            loop.call(at: loop.now) { ann.assumeIsolated { $0.step() } }  // a callback may use what lives here
            await Task.yield()
            #expect(await ann.steps == 5)
            #expect(loop.now == .start.advanced(by: .seconds(2)))
            #expect(loop.crossThreadInsertions == 0)
        }
    }

    @Test func `Finished tasks are released`() throws {
        weak var remains: EventLoop?
        do {
            let loop = EventLoop()
            remains = loop
            try loop.run { try await loop.withTimeout(.seconds(1)) { await Task.yield() } }
        }
        #expect(remains == nil)
    }

    @Test func `At the real pace the same code waits for clocks, descriptors and threads`() throws {
        var ends: [CInt] = [-1, -1]
        #expect(unsafe pipe(&ends) == 0)
        let (output, input) = (ends[0], ends[1])
        defer { for end in ends { close(end) } }
        let began = ContinuousClock.now
        let loop = EventLoop(pace: .real())
        try loop.run {
            let (bytes, continuation) = AsyncStream.makeStream(of: UInt8.self)
            let watch = loop.watch(output, for: .readable) {
                var byte: UInt8 = 0
                unsafe read(output, &byte, 1)
                continuation.yield(byte)
            }
            loop.call(at: .start.advanced(by: .milliseconds(20))) { unsafe write(input, [42], 1) }
            #expect(await bytes.first { _ in true } == 42)
            loop.cancel(watch)
            #expect(loop.crossThreadInsertions == 0)
            // With a high priority, because this thread waits, and other tests have the rest of the pool.
            let task = Task.detached(priority: .high) { "from another thread" }
            #expect(await task.value == "from another thread")
            #expect(loop.crossThreadInsertions > 0)
        }
        #expect(began.duration(to: .now) >= .milliseconds(20))
    }

    @Test func `The timer is never set to zero, which would disarm it`() {
        #expect(LoopWaker.timerDelay(Duration(secondsComponent: 0, attosecondsComponent: 1)) == .nanoseconds(1))
        #expect(LoopWaker.timerDelay(.milliseconds(5)) == .milliseconds(5))
    }

    @Test func `A watch reports when the other side is gone`() throws {
        var ends: [CInt] = [0, 0]
        unsafe pipe(&ends)
        let (output, input) = (ends[0], ends[1])
        defer { close(input) }
        let loop = EventLoop(pace: .real())
        let journal = Journal<String>()
        try loop.run {
            let (gone, continuation) = AsyncStream.makeStream(of: Void.self)
            let watch = loop.watch(input, for: .gone) {
                journal.write("gone")
                continuation.yield()
            }
            try await loop.sleep(for: .milliseconds(5))
            unsafe write(input, [42], 1)
            try await loop.sleep(for: .milliseconds(5))
            journal.write("closed")
            close(output)
            for await _ in gone { break }
            loop.cancel(watch)
        }
        #expect(Array(journal.entries.prefix(2)) == ["closed", "gone"])
    }

    // MARK: Turned manually

    @Test func `Synchronous code runs events until an instant`() {
        let journal = Journal<Int>()
        for second in [1, 2, 3] {
            loop.call(at: .start.advanced(by: .seconds(second))) { journal.write(second) }
        }
        let limit = Instant.start.advanced(by: .milliseconds(2500))
        loop.withCurrentThread {
            #expect(loop.runNextEvents(until: limit))
            #expect(journal.entries == [1])
            #expect(loop.runNextEvents(until: limit))
            #expect(loop.isIsolatingCurrentContext() == true)
            #expect(!loop.runNextEvents(until: limit))
            #expect(loop.now == limit)
        }
        #expect(journal.entries == [1, 2])
        #expect(loop.isIsolatingCurrentContext() == false)
    }

    @Test func `Tasks run with synchronous code`() {
        let journal = Journal<Int>()
        let walker = Walker(on: loop)
        _ = loop.start {
            try await walker.walk(3)
            journal.write(await walker.steps)
        }
        let limit = Instant.start.advanced(by: .seconds(2))
        loop.withCurrentThread { while loop.runNextEvents(until: limit) {} }
        #expect(journal.entries == [3])
        #expect(loop.now == limit)
    }

    @Test func `At the real pace, synchronous code wakes for a descriptor`() throws {
        let loop = EventLoop(pace: .real())
        var ends: [CInt] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let journal = Journal<Int>()
        let output = ends[0]
        _ = loop.watch(output, for: .readable) {
            var octet: UInt8 = 0
            _ = unsafe read(output, &octet, 1)
            journal.write(Int(octet))
        }
        var octet: UInt8 = 7
        _ = unsafe write(ends[1], &octet, 1)
        let isBefore = loop.withCurrentThread { loop.runNextEvents(until: .start.advanced(by: .seconds(60))) }
        #expect(isBefore)
        #expect(journal.entries == [7])
    }
}
