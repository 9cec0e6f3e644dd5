import Glibc
import Synchronization

/// One thread that runs everything: tasks, appointments and file descriptors, one at a time, ordered
/// by instant and then by insertion.
///
/// The loop is the executor of its tasks *and* their clock.  At the `.virtual` pace time jumps from
/// event to event, so that an hour takes milliseconds and a program takes the same course every
/// time.  At a `.real` pace the loop sleeps in `poll(2)` until the next event is due, a descriptor
/// is ready, or another thread rings.  Code on the loop cannot tell the two apart.
///
/// Tasks start on the loop (`run`, `start`) and so do their children (`async let`, task groups); a bare
/// `Task {}` or `Task.sleep` would leave it.  `strays` counts what came back from another thread:
/// at the virtual pace, anything but 0 is a bug.
public final class EventLoop: SerialExecutor, TaskExecutor, Clock {
    /// The loop is a clock, and these are what it shows.
    public typealias Instant = Simulation.Instant

    /// How long it takes until the next event is there.
    public enum Pace: Equatable, Sendable {
        /// No time at all.
        case virtual
        /// As long as its instant says, by the machine's clock; `speed` seconds of the loop are one second of it.
        case real(speed: Double = 1)
    }

    /// What a descriptor is watched for.
    public enum Readiness: Sendable {
        /// Octets, a connection or the end of the stream can be taken from it.
        case readable
        /// It takes octets.
        case writable
        /// The other side is gone for good; nothing else counts.
        case gone
    }

    private enum Event {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
        case wake(CheckedContinuation<Void, any Error>)
        case ready(Watch)
    }

    /// Calls an action whenever a descriptor is ready, from `watch` to `cancel`.
    public struct Watch: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Watched {
        let number: UInt64
        let descriptor: CInt
        let readiness: Readiness
        let whenReady: @Sendable () -> Void
    }

    private struct State {
        var now = Instant.start
        var queue = EventQueue()
        var events: [Event?] = []  // by slot of the queue
        var thread: pthread_t?
        var strays = 0
        var watches: [Watched] = []
        var watchesMade: UInt64 = 0

        mutating func insert(_ event: Event, due: Instant) -> EventQueue.Ticket {
            let ticket = queue.insert(due: due)
            if ticket.slot == events.count { events.append(event) } else { events[ticket.slot] = event }
            return ticket
        }

        mutating func cancel(_ ticket: EventQueue.Ticket) -> Event? {
            queue.cancel(ticket) ? events[ticket.slot].take() : nil
        }

        mutating func takeFirst(dueBy instant: Instant) -> Event? {
            queue.takeFirst(dueBy: instant).flatMap { events[$0.slot].take() }
        }
    }

    private let state = Mutex(State())
    private let alarm: Alarm?  // nil: the virtual pace
    private let speed: Double
    private let epoch = ContinuousClock.now

    /// Time begins to count now.
    public init(pace: Pace = .virtual) {
        switch pace {
        case .virtual:
            alarm = nil
            speed = 1
        case .real(let speed):
            alarm = Alarm()
            self.speed = speed
        }
    }

    // MARK: The clock

    /// The instant of the events that are being played; it stands still until they have ended.
    public var now: Instant { state.withLock { $0.now } }
    /// What the timer of a real pace can tell apart; virtual time is exact.
    public var minimumResolution: Duration { .nanoseconds(1) }
    /// When the next event is due; nil when nothing is to happen any more.
    public var nextDue: Instant? { state.withLock { $0.queue.firstDue() } }

    /// How late the loop is: what the machine's clock shows beyond `now`; zero at the virtual pace.
    public var lag: Duration { alarm == nil ? .zero : now.duration(to: realTime) }

    /// Suspends the task until `deadline`, and throws `CancellationError` as soon as it is cancelled.
    ///
    /// A deadline in the past still lets everything go first that is due already.  `tolerance` is not used.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let place = Mutex<EventQueue.Ticket?>(nil)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Asked under the lock, so that a cancellation is either seen here or finds the event.
                let isCancelled = state.withLock { state in
                    guard !Task.isCancelled else { return true }
                    let ticket = state.insert(.wake(continuation), due: deadline)
                    place.withLock { $0 = ticket }
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let event = state.withLock { state in
                place.withLock { $0 }.flatMap { state.cancel($0) }
            }
            if case .wake(let continuation) = event { continuation.resume(throwing: CancellationError()) }
        }
    }

    // MARK: Appointments and descriptors

    /// Something that will happen, unless it is cancelled before.
    public struct Appointment: Sendable {
        fileprivate let loop: EventLoop
        fileprivate let ticket: EventQueue.Ticket

        /// From any thread; nothing when it has happened or been cancelled already.
        public func cancel() { _ = loop.state.withLock { $0.cancel(ticket) } }
    }

    /// Calls `action` on the loop at `due`, or as soon as possible when that is past, behind what is due then already.
    @discardableResult
    public func call(at due: Instant, _ action: @escaping @Sendable () -> Void) -> Appointment {
        Appointment(loop: self, ticket: insert(.call(action), due: due))
    }

    /// Calls `action` in each round that finds `descriptor` ready: at a real pace only.
    public func watch(
        _ descriptor: CInt, for readiness: Readiness, whenReady action: @escaping @Sendable () -> Void
    ) -> Watch {
        precondition(alarm != nil, "there are no descriptors in virtual time")
        return state.withLock { state in
            state.watchesMade += 1
            state.watches.append(
                Watched(
                    number: state.watchesMade, descriptor: descriptor, readiness: readiness, whenReady: action))
            return Watch(number: state.watchesMade)
        }
    }

    /// Calls the action of `watch` no more; it must come before the descriptor is closed.
    public func cancel(_ watch: Watch) {
        state.withLock { $0.watches.removeAll { $0.number == watch.number } }
    }

    // MARK: The executor

    /// Takes a job of the Swift runtime, which calls this from any thread.
    public func enqueue(_ job: consuming ExecutorJob) { insert(.job(UnownedJob(job)), due: .start) }

    /// How many jobs and appointments came from another thread while the loop ran.
    public var strays: Int { state.withLock { $0.strays } }
    /// Whether the caller is on the thread that `run` made the loop's.
    public func isIsolatingCurrentContext() -> Bool? { state.withLock { $0.thread } == pthread_self() }
    /// Traps anywhere but on the loop: the runtime asks before `assumeIsolated`.
    public func checkIsolated() { precondition(isIsolatingCurrentContext() == true, "not on the thread of the loop") }

    @discardableResult
    private func insert(_ event: Event, due: Instant) -> EventQueue.Ticket {
        let (ticket, isStray) = state.withLock { state in
            let ticket = state.insert(event, due: due)
            let isStray = state.thread != nil && state.thread != pthread_self()
            if isStray { state.strays += 1 }
            return (ticket, isStray)
        }
        if isStray { alarm?.ring() }
        return ticket
    }

    // MARK: Running

    /// Nothing is left to happen and the main task still waits: a deadlock, found for free.
    public struct Stalled: Error, Equatable {
        /// When the last event was played.
        public var instant: Instant

        /// For tests that expect it.
        public init(at instant: Instant) { self.instant = instant }
    }

    /// Starts a task on this loop.  Whoever starts it also awaits it: what has not ended when `run`
    /// returns never will.
    public func start<Success: Sendable>(
        _ body: sending @escaping () async throws -> Success
    ) -> Task<Success, any Error> {
        Task(executorPreference: self) { try await body() }
    }

    /// Makes this thread the loop's until `body` has ended, and returns or throws what it did; or throws `Stalled`.
    public func run<Success: Sendable>(_ body: sending @escaping () async throws -> Success) throws -> Success {
        let outcome = Outcome<Success>()
        let main = Task(executorPreference: self) {
            // Setting the outcome is the last thing it does, so that the task is over when `run` returns.
            do { outcome.set(.success(try await body())) } catch { outcome.set(.failure(error)) }
        }
        return try hold { () throws -> Success in
            var stall: Stalled?
            while true {
                if let result = outcome.get() {
                    if let stall { throw stall }
                    return try result.get()
                } else if let instant = waitForNextEvent() {
                    runEvents(dueBy: instant)
                } else if let stall {
                    throw stall
                } else {
                    stall = Stalled(at: now)
                    main.cancel()  // so that what listens for cancellation ends in good order
                }
            }
        }
    }

    /// Makes this thread the loop's for a body that is not `async`, and lets time pass by `turn`.
    public func hold<Answer, Failure: Error>(_ body: () throws(Failure) -> Answer) throws(Failure) -> Answer {
        state.withLock { state in
            precondition(state.thread == nil, "this loop runs already")
            state.thread = pthread_self()
        }
        defer { state.withLock { $0.thread = nil } }
        return try body()
    }

    /// Waits for what happens next, but not beyond `limit`, and plays what is due then: false when it is `limit`, or
    /// later.  Only while `hold` has this thread.
    public func turn(until limit: Instant) -> Bool {
        checkIsolated()
        guard let instant = waitForNextEvent(until: limit) else { return false }
        runEvents(dueBy: instant)
        return instant < limit
    }

    /// The instant of the next event or of `limit`, now the present; nil when nothing is left to happen.
    private func waitForNextEvent(until limit: Instant? = nil) -> Instant? {
        let (first, watches) = state.withLock { ($0.queue.firstDue(), $0.watches) }
        let due = [first, limit].compactMap { $0 }.min()
        let wait = due.map { Duration.nanoseconds(realTime.duration(to: $0).inNanoseconds) / speed }
        guard let ready = alarm?.wait(for: wait, or: watches.map { ($0.descriptor, $0.readiness) }) else {
            if let due { state.withLock { $0.now = max($0.now, due) } }
            return due
        }
        let instant = realTime
        state.withLock { $0.now = instant }
        for index in ready { insert(.ready(Watch(number: watches[index].number)), due: instant) }
        return instant
    }

    private var realTime: Instant { .start.advanced(by: epoch.duration(to: .now) * speed) }

    /// One round: the events that are due, but no more than there are now, so that tasks which
    /// yield to each other for ever do not starve the descriptors.
    private func runEvents(dueBy instant: Instant) {
        for _ in 0..<state.withLock({ $0.queue.count }) {
            switch state.withLock({ $0.takeFirst(dueBy: instant) }) {
            case .job(let job):
                unsafe job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            case .call(let action): action()
            case .wake(let continuation): continuation.resume()
            case .ready(let watch):  // unless an event of this round has cancelled it
                state.withLock { $0.watches.first { $0.number == watch.number } }?.whenReady()
            case nil: return
            }
        }
    }
}

private final class Outcome<Success: Sendable>: Sendable {
    private let result = Mutex<Result<Success, any Error>?>(nil)
    func set(_ value: Result<Success, any Error>) { result.withLock { $0 = value } }
    func get() -> Result<Success, any Error>? { result.withLock { $0 } }
}
