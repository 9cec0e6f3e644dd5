import Glibc
import Synchronization

/// One thread that runs tasks, scheduled calls and file descriptor handlers, one at a time, ordered by instant and then
/// by insertion.
///
/// The loop is both the executor of its tasks and their clock. At the `.virtual` pace time jumps from event to event:
/// an hour takes milliseconds, and every run is the same. At a `.real` pace the loop sleeps in `poll(2)` until an event
/// is due, a descriptor is ready or another thread inserts an event. Code on the loop cannot distinguish the two.
///
/// Tasks start on the loop with `run` and `start`; their children (`async let`, task groups) stay on it. A plain `Task
/// {}` or `Task.sleep` leaves it: then `crossThreadInsertions` counts the return. At the virtual pace any value but 0
/// is a bug.
public final class EventLoop: SerialExecutor, TaskExecutor, Clock {
    /// Instants of this clock.
    public typealias Instant = Basics.Instant

    /// How time passes between events.
    public enum Pace: Equatable, Sendable {
        /// Time jumps to the next event.
        case virtual
        /// Time follows the machine's clock, `speed` times as fast.
        case real(speed: Double = 1)
    }

    /// The condition for which a descriptor is watched.
    public enum Readiness: Sendable {
        /// It has octets, a connection or the end of the stream to read.
        case readable
        /// It accepts octets.
        case writable
        /// The other side is gone for good; octets to read or room to write do not count.
        case gone
    }

    private enum Event {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
        case wake(CheckedContinuation<Void, any Error>)
        case ready(Watch)
    }

    /// Identifies an action that the loop calls whenever a descriptor is ready, from `watch` to `cancel`.
    public struct Watch: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Watched {
        let number: UInt64
        let descriptor: CInt
        let readiness: Readiness
        let isOutside: Bool
        let whenReady: @Sendable () -> Void
    }

    private struct State {
        var now = Instant.start
        var queue = EventQueue()
        var events: [Event?] = []  // by slot of the queue
        var thread: pthread_t?
        var crossThreadInsertions = 0
        var watches: [Watched] = []  // in the order of their numbers
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

        /// The index of a watch; nil if it is cancelled.
        func index(of watch: Watch) -> Int? {
            let index = watches.searchedIndex(after: { $0.number < watch.number })
            return index < watches.count && watches[index].number == watch.number ? index : nil
        }
    }

    private let state = Mutex(State())
    private let waker: LoopWaker?  // nil: the virtual pace
    /// Why the loop cannot wait for events; nil if it can.
    public let failure: Unavailable?
    /// How many times as fast as the machine's clock the loop's time is; 1 at the virtual pace.
    public let speed: Double
    private let epoch = ContinuousClock.now
    /// Other processes that follow the loop's virtual time; nil if there are none.
    public let followers: (any Followers)?
    private let leadingPace: Mutex<LeadingPace?>

    /// A loop whose time starts now. At a real pace it needs two descriptors; without them, `run` throws `failure`.
    public init(pace: Pace = .virtual) {
        followers = nil
        leadingPace = Mutex(nil)
        switch pace {
        case .virtual:
            waker = nil
            failure = nil
            speed = 1
        case .real(let speed):
            let waker = LoopWaker()
            failure = waker.failure
            self.waker = consume waker
            self.speed = speed
        }
    }

    /// A loop at a virtual pace that other processes follow. It needs two descriptors, like one at a real pace.
    ///
    /// With a `factor`, it waits before each event until the machine's clock, times the factor, has come as far.
    public init(leading followers: any Followers, factor: Double? = nil) {
        leadingPace = Mutex(factor.map { LeadingPace(factor: $0) })
        let waker = LoopWaker()
        failure = waker.failure
        self.waker = consume waker
        self.followers = followers
        speed = 1
    }

    // MARK: The clock

    /// The instant of the events being run; constant while they run.
    public var now: Instant { state.withLock { $0.now } }
    /// Resolution of the timer at a real pace; virtual time is exact.
    public var minimumResolution: Duration { .nanoseconds(1) }
    /// When the next event is due; nil if there is none.
    public var nextDue: Instant? { state.withLock { $0.queue.firstDue() } }

    /// Suspends the task until `deadline`; throws `CancellationError` as soon as the task is cancelled.
    ///
    /// Events that are already due run first, even if `deadline` is in the past. `tolerance` is not used.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let place = Mutex<EventQueue.Ticket?>(nil)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Checked under the lock: a cancellation either is seen here or finds the event.
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

    // MARK: Scheduled calls and descriptors

    /// A call that will happen unless it is cancelled.
    public struct ScheduledCall: Sendable {
        fileprivate let loop: EventLoop
        fileprivate let ticket: EventQueue.Ticket

        /// Cancels the call, from any thread; has no effect once it has happened or is cancelled.
        public func cancel() { _ = loop.state.withLock { $0.cancel(ticket) } }
    }

    /// Calls `action` on the loop at `due`, after the events already due then; an instant in the past counts as now.
    @discardableResult
    public func call(at due: Instant, _ action: @escaping @Sendable () -> Void) -> ScheduledCall {
        ScheduledCall(loop: self, ticket: insert(.call(action), due: due))
    }

    /// Calls `action` in each round in which `descriptor` is ready; only at a real pace, or with followers.
    ///
    /// `isOutside`: it has nothing to do with followers, so it need not wait until all of them sleep.
    public func watch(
        _ descriptor: CInt, for readiness: Readiness, isOutside: Bool = false,
        whenReady action: @escaping @Sendable () -> Void
    ) -> Watch {
        precondition(waker != nil, "descriptors need the real pace, or followers")
        return state.withLock { state in
            state.watchesMade += 1
            state.watches.append(
                Watched(
                    number: state.watchesMade, descriptor: descriptor, readiness: readiness, isOutside: isOutside,
                    whenReady: action))
            return Watch(number: state.watchesMade)
        }
    }

    /// Stops watching; must be called before the descriptor is closed.
    public func cancel(_ watch: Watch) {
        state.withLock { state in
            if let index = state.index(of: watch) { state.watches.remove(at: index) }
        }
    }

    // MARK: The executor

    /// Accepts a job from the Swift runtime, on any thread.
    public func enqueue(_ job: consuming ExecutorJob) { insert(.job(UnownedJob(job)), due: .start) }

    /// Number of jobs and calls inserted from another thread while the loop ran.
    public var crossThreadInsertions: Int { state.withLock { $0.crossThreadInsertions } }
    /// Whether the caller is on the loop's thread.
    public func isIsolatingCurrentContext() -> Bool? { state.withLock { $0.thread } == pthread_self() }
    /// Traps unless the caller is on the loop's thread; the runtime calls this for `assumeIsolated`.
    public func checkIsolated() { precondition(isIsolatingCurrentContext() == true, "not on the thread of the loop") }

    @discardableResult
    private func insert(_ event: Event, due: Instant) -> EventQueue.Ticket {
        let (ticket, isStray) = state.withLock { state in
            let ticket = state.insert(event, due: due)
            let isStray = state.thread != nil && state.thread != pthread_self()
            if isStray { state.crossThreadInsertions += 1 }
            return (ticket, isStray)
        }
        if isStray { waker?.wake() }
        return ticket
    }

    // MARK: Running

    /// The system gave the loop no descriptors to wait with.
    public struct Unavailable: Error, Equatable, CustomStringConvertible {
        /// The system's error number.
        public let code: Int32

        /// The message, with the fix if the process has too many descriptors.
        public var description: String {
            let fix = code == EMFILE ? " (raise the limit of open files: ulimit -n)" : ""
            return "cannot wait for events: \(unsafe String(cString: strerror(code)))\(fix)"
        }
    }

    /// The main task waits although no event is left: a deadlock.
    public struct Stalled: Error, Equatable {
        /// When the last event ran.
        public var instant: Instant

        /// A stall after the last event at `instant`.
        public init(at instant: Instant) { self.instant = instant }
    }

    /// Starts a task on this loop. The caller must await it: a task that is unfinished when `run` returns never ends.
    public func start<Success: Sendable>(
        _ body: sending @escaping () async throws -> Success
    ) -> Task<Success, any Error> {
        Task(executorPreference: self) { try await body() }
    }

    /// Runs the loop on this thread until `body` ends, and returns or throws what it does; throws `Stalled` on a
    /// deadlock, and `Unavailable` if the loop cannot wait.
    public func run<Success: Sendable>(_ body: sending @escaping () async throws -> Success) throws -> Success {
        if let failure { throw failure }
        let outcome = Outcome<Success>()
        let main = Task(executorPreference: self) {
            // Setting the outcome is the task's last action, so the task is over when `run` returns.
            do { outcome.set(.success(try await body())) } catch { outcome.set(.failure(error)) }
        }
        return try withCurrentThread { () throws -> Success in
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
                    main.cancel()  // lets cancellation handlers finish
                }
            }
        }
    }

    /// Makes this thread the loop's for a synchronous `body`, which lets time pass with `runNextEvents(until:)`.
    public func withCurrentThread<Answer, Failure: Error>(
        _ body: () throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        state.withLock { state in
            precondition(state.thread == nil, "this loop runs already")
            state.thread = pthread_self()
        }
        defer { state.withLock { $0.thread = nil } }
        return try body()
    }

    /// Waits for the next event, at most until `limit`, and runs what is due then. Returns false once time has reached
    /// `limit`. Only valid inside `withCurrentThread`.
    public func runNextEvents(until limit: Instant) -> Bool {
        checkIsolated()
        guard let instant = waitForNextEvent(until: limit) else { return false }
        runEvents(dueBy: instant)
        return instant < limit
    }

    /// Waits for the next event or `limit` and returns its instant, which is then `now`; nil if there is neither.
    private func waitForNextEvent(until limit: Instant? = nil) -> Instant? {
        if let followers { return waitForNextEvent(until: limit, leading: followers) }
        let (first, watches) = state.withLock { ($0.queue.firstDue(), $0.watches) }
        let due = [first, limit].compactMap { $0 }.min()
        let wait = due.map { Duration.nanoseconds(realTime.duration(to: $0).inNanoseconds) / speed }
        guard let ready = waker?.wait(for: wait, or: watches.map { ($0.descriptor, $0.readiness) }) else {
            if let due { state.withLock { $0.now = max($0.now, due) } }
            return due
        }
        let instant = realTime
        state.withLock { $0.now = instant }
        for index in ready { insert(.ready(Watch(number: watches[index].number)), due: instant) }
        return instant
    }

    /// The same in virtual time that other processes follow: it passes while all of them sleep, until the next event here or
    /// the next deadline there. Their output is read only then, so that nothing depends on who was faster.
    private func waitForNextEvent(until limit: Instant?, leading followers: any Followers) -> Instant? {
        while true {
            let (first, watches, now) = state.withLock { ($0.queue.firstDue(), $0.watches, $0.now) }
            let due = [first, limit].compactMap { $0 }.min() ?? .never
            guard due > now else { return now }
            let activity = followers.wait()
            let busyUntil = followers.busyUntil
            let readsOutput = activity != .running && busyUntil <= now
            if insertReady(readsOutput ? watches : watches.filter(\.isOutside), due: now) { return now }
            if activity == .running { continue }
            var next = min(due, max(followers.nextDeadline, now))
            if activity == .computing { next = min(next, now.advanced(by: Self.creep)) }
            if busyUntil > now { next = min(next, busyUntil) }
            guard next != .never else { return nil }
            guard waitForMachine(until: next, watches) else { continue }
            state.withLock { $0.now = next }
            followers.set(next)
            // Their output is older than the events of this instant, which may give them something to do.
            if busyUntil > now, busyUntil == next, insertReady(watches, due: .start) { return next }
            guard due > next else { return next }
            followers.wakeFirst()
        }
    }

    /// Inserts an event for each of some watches whose descriptor is ready; false if there is none.
    private func insertReady(_ watches: [Watched], due: Instant) -> Bool {
        let ready = waker?.wait(for: .zero, or: watches.map { ($0.descriptor, $0.readiness) }) ?? []
        guard !ready.isEmpty else { return false }
        followers?.noteStimulus()  // a reader makes room for a writer
        for index in ready { insert(.ready(Watch(number: watches[index].number)), due: due) }
        return true
    }

    /// With a factor, waits until the machine's clock has come as far; false if something happened first that followers do
    /// not cause.
    private func waitForMachine(until next: Instant, _ watches: [Watched]) -> Bool {
        let delay = leadingPace.withLock { $0?.wait(before: next, at: machineTime) } ?? .zero
        guard delay > .zero else { return true }
        _ = waker?.wait(for: delay, or: watches.filter(\.isOutside).map { ($0.descriptor, $0.readiness) })
        return leadingPace.withLock { $0?.wait(before: next, at: machineTime) } ?? .zero == .zero
    }

    /// From now on, time passes as fast as possible: it is only followers that end.
    public func leaveClock() { leadingPace.withLock { $0 = nil } }

    /// How far time goes each time while followers compute endlessly.
    private static let creep = Duration.milliseconds(5)

    /// How long the loop has existed.
    private var machineTime: Duration { epoch.duration(to: .now) }
    private var realTime: Instant { .start.advanced(by: machineTime * speed) }

    /// Runs the events that are due, at most as many as there are now, so that tasks that keep yielding to each other
    /// do not starve the descriptors.
    private func runEvents(dueBy instant: Instant) {
        for _ in 0..<state.withLock({ $0.queue.count }) {
            switch state.withLock({ $0.takeFirst(dueBy: instant) }) {
            case .job(let job):
                unsafe job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            case .call(let action): action()
            case .wake(let continuation): continuation.resume()
            case .ready(let watch):  // unless an event of this round cancelled it
                state.withLock { state in state.index(of: watch).map { state.watches[$0].whenReady } }?()
            case nil: return
            }
        }
    }
}

/// An actor whose code runs on an event loop.
public protocol LoopActor: Actor {
    /// Its executor.
    nonisolated var loop: EventLoop { get }
}

extension LoopActor {
    /// The loop, for the runtime.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
}

private final class Outcome<Success: Sendable>: Sendable {
    private let result = Mutex<Result<Success, any Error>?>(nil)
    func set(_ value: Result<Success, any Error>) { result.withLock { $0 = value } }
    func get() -> Result<Success, any Error>? { result.withLock { $0 } }
}

extension EventLoop.Unavailable: CodedError {
    package var exitCode: ExitCode? { .environment }
}
