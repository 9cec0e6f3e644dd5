import Basics
import Conformance
import Expectations
import Glibc
import Linux
import Synchronization
import Testing

@testable import Cases

/// Cases that are played at the same time, by threads that wait for one another.
@Suite struct SuiteSchedulerTests {
    /// The events of all threads, in order.
    private final class EventRecorder: Sendable {
        private struct State {
            var events: [String] = []
            var readers: [AsyncStream<String>.Continuation] = []
        }

        private let state = Mutex(State())

        var all: [String] { state.withLock { $0.events } }

        func add(_ event: String) {
            state.withLock { state in
                state.events.append(event)
                for reader in state.readers { reader.yield(event) }
            }
        }

        /// Waits for an event; false if it does not come in time.
        func wait(for event: String) -> Bool {
            let found = try? SuiteSchedulerTests.first(where: { $0 == event }) { _, reader in
                state.withLock { state in
                    for event in state.events { reader.yield(event) }
                    state.readers.append(reader)
                }
            }
            return found != nil
        }
    }

    /// The first matching element of those that `source` sends; nil if none comes within a minute.
    private static func first<Element: Sendable>(
        where isMatch: @escaping @Sendable (Element) -> Bool,
        from source: (EventLoop, AsyncStream<Element>.Continuation) -> Void
    ) throws -> Element? {
        let loop = EventLoop(pace: .real())
        let (elements, inbox) = AsyncStream.makeStream(of: Element.self)
        source(loop, inbox)
        _ = loop.call(at: loop.now.advanced(by: .seconds(60))) { inbox.finish() }
        return try loop.run { await elements.first(where: isMatch) }
    }

    private static func ending(_ verdict: Verdict, disturbance: String? = nil) -> SuiteScheduler.CaseCompletion {
        var result = CaseResult(unplayed: Outcome(verdict, title: "x"))
        result.disturbance = disturbance
        return .played(result)
    }

    private static func scheduler(
        _ ids: [String], jobs: Int, isInOrder: Bool = false, endsAtFault: Bool = false, _ recorder: EventRecorder,
        from signals: Signals? = nil,
        makeRelay: (@Sendable () throws(Obstacle) -> SignalRelay)? = nil,
        play: @escaping @Sendable (SuiteScheduler.Turn, Signals) -> SuiteScheduler.CaseCompletion
    ) throws -> SuiteScheduler {
        let runner = CaseRunner(ids.map { Case($0, path: $0, of: "all") }, into: Report(version: "1"))
        var callbacks = SuiteScheduler.Callbacks(play: play, interruption: { nil }) { turn, _ in
            recorder.add("reported \(turn.item.id)")
        }
        if let makeRelay { callbacks.makeRelay = makeRelay }
        let relay = try SignalRelay()
        let order = SuiteScheduler.Order(isSuites: isInOrder, endsAtFault: endsAtFault)
        return try SuiteScheduler(runner, jobs: jobs, order, callbacks).run(signals ?? relay.signals)
    }

    @Test(arguments: [
        (false, ["reported b", "reported a", "reported c"]), (true, ["reported a", "reported b", "reported c"]),
    ])
    func `Two cases run at once, and are reported as they end, or in the suite's order`(
        isInOrder: Bool, reports: [String]
    ) throws {
        let recorder = EventRecorder()
        let scheduler = try Self.scheduler(["a", "b", "c"], jobs: 2, isInOrder: isInOrder, recorder) { turn, _ in
            // The first ends when the third has begun, which takes the place of the second.
            if turn.item.id == "a" { #expect(recorder.wait(for: "began c")) }
            recorder.add("began \(turn.item.id)")
            if turn.item.id == "c" { #expect(recorder.wait(for: isInOrder ? "began a" : "reported a")) }
            return Self.ending(.pass)
        }
        #expect(recorder.all.filter { $0.hasPrefix("reported") } == reports)
        #expect(scheduler.runner.report.cases.map(\.id) == ["a", "b", "c"])
        #expect(scheduler.interruption == nil)
    }

    @Test func `With one job they follow one another`() throws {
        let recorder = EventRecorder()
        _ = try Self.scheduler(["a", "b"], jobs: 1, recorder) { turn, _ in
            recorder.add("began \(turn.item.id)")
            return Self.ending(.pass)
        }
        #expect(recorder.all == ["began a", "reported a", "began b", "reported b"])
    }

    @Test func `Cases that this machine disturbed run again at the end, and only that result is reported`() throws {
        let recorder = EventRecorder()
        let scheduler = try Self.scheduler(["a", "b"], jobs: 1, recorder) { turn, _ in
            recorder.add("began \(turn.item.id)")
            return turn.item.id == "a" && !turn.isSecond
                ? Self.ending(.inconclusive, disturbance: "this machine stalled") : Self.ending(.pass)
        }
        #expect(recorder.all == ["began a", "began b", "reported b", "began a", "reported a"])
        #expect(scheduler.runner.report.summary[.pass] == 2)
    }

    @Test func `A signal reaches all that are being played, and nothing more begins`() throws {
        let (recorder, relay) = (EventRecorder(), try SignalRelay())
        let scheduler = try Self.scheduler(["a", "b", "c", "d"], jobs: 2, recorder, from: relay.signals) {
            turn, signals in
            guard turn.item.id != "a" else { return Self.ending(.pass) }
            recorder.add("began \(turn.item.id)")
            if turn.item.id == "c" { relay.send(SIGINT) }
            let number = try? Self.first(where: { _ in true }) { loop, inbox in
                _ = signals.watch(on: loop) { inbox.yield($0) }
            }
            if let number {
                return .played(CaseResult(unplayed: Outcome(.skip, title: "x"), code: .signal(number)))
            }
            return Self.ending(.fail)
        }
        #expect(scheduler.interruption == .signal(SIGINT))
        #expect(scheduler.runner.report.cases.map(\.id) == ["a"])
        #expect(scheduler.report(of: 4).gaps == ["interrupted: 1 of 4 cases were run"])
        #expect(scheduler.report(of: 1).gaps == [])
        #expect(!recorder.all.contains("began d"))
        #expect(scheduler.runner.report.summary[.fail] == 0)
    }

    /// Otherwise each of the cases would get the verdict error for it.
    @Test func `A machine that can play no case ends the run`() throws {
        let recorder = EventRecorder()
        let full = Obstacle(.environment, "cannot open the files of a case")
        let scheduler = try Self.scheduler(["a", "b", "c"], jobs: 2, recorder) { () throws(Obstacle) in
            // There is room for one case.
            guard recorder.all.isEmpty else { throw full }
            recorder.add("relay")
            return try SignalRelay()
        } play: { _, _ in
            Self.ending(.pass)
        }
        #expect(scheduler.obstacle?.code == .environment)
        #expect(scheduler.runner.report.cases.map(\.id) == ["a"])
        #expect(scheduler.report(of: 3).gaps == ["cannot open the files of a case: 1 of 3 cases were run"])
    }

    @Test func `A case that ends makes room for the next`() throws {
        let recorder = EventRecorder()
        let scheduler = try Self.scheduler(["a", "b"], jobs: 2, recorder) { () throws(Obstacle) in
            guard recorder.all.count != 1 else {
                recorder.add("full")
                throw Obstacle(.environment, "cannot open the files of a case")
            }
            recorder.add("relay")
            return try SignalRelay()
        } play: { _, _ in
            Self.ending(.pass)
        }
        #expect(scheduler.obstacle == nil)
        #expect(scheduler.runner.report.cases.map(\.id) == ["a", "b"])
    }

    /// The cases that wait for the first would be searched after each of them if they were a list.
    @Test func `Many cases wait for the first one`() throws {
        let (recorder, ids) = (EventRecorder(), (0..<200).map { "\($0)" })
        let scheduler = try Self.scheduler(ids, jobs: 2, isInOrder: true, recorder) { turn, _ in
            if turn.item.id == "199" { recorder.add("last") }
            if turn.item.id == "0" { #expect(recorder.wait(for: "last")) }
            return Self.ending(.pass)
        }
        #expect(recorder.all == ["last"] + ids.map { "reported \($0)" })
        #expect(scheduler.runner.count == 200)
    }

    @Test(arguments: [(true, ["a", "b"]), (false, ["a", "b", "c"])])
    func `A run can end after the first fault, and in the suite's order no later case is in the report`(
        isInOrder: Bool, ids: [String]
    ) throws {
        let recorder = EventRecorder()
        let scheduler = try Self.scheduler(
            ["a", "b", "c", "d", "e"], jobs: 3, isInOrder: isInOrder, endsAtFault: true, recorder
        ) { turn, _ in
            // The third fails first, then the second; the first passes last.
            if turn.item.id == "c" { recorder.add("ended c") }
            if turn.item.id == "b" { #expect(recorder.wait(for: isInOrder ? "ended c" : "reported c")) }
            if turn.item.id == "a" { #expect(recorder.wait(for: isInOrder ? "ended c" : "reported b")) }
            return Self.ending(turn.item.id == "a" ? .pass : .fail)
        }
        #expect(scheduler.runner.report.cases.map(\.id) == ids)
        #expect(scheduler.hasFault)
        #expect(!recorder.all.contains { $0.hasSuffix("d") || $0.hasSuffix("e") })
        #expect(recorder.all.filter { $0.hasPrefix("reported") }.count == ids.count)
    }

    @Test func `The failure of one case is an error of that case`() throws {
        let recorder = EventRecorder()
        let scheduler = try Self.scheduler(["a", "b"], jobs: 4, recorder) { turn, _ in
            turn.item.id == "a"
                ? .failed(Obstacle(.environment, "no port is free"), title: "A") : Self.ending(.pass)
        }
        #expect(scheduler.runner.report.cases.map(\.outcome.verdict) == [.error, .pass])
        #expect(scheduler.runner.report.cases.first?.outcome.reasons == ["no port is free"])
    }

    @Test(
        arguments: [
            ([.environment], .environment), ([.usage, .environment], .environment), ([nil], nil),
            ([.environment, nil], .environment), ([.environment, .internalError], .internalError),
        ] as [([ExitCode?], ExitCode?)])
    func `Cases that could not be run give the run their exit status`(codes: [ExitCode?], code: ExitCode?) throws {
        let scheduler = try Self.scheduler(codes.indices.map { "\($0)" }, jobs: 1, EventRecorder()) { turn, _ in
            codes[turn.place].map { .failed(Obstacle($0, "no port is free"), title: "A") } ?? Self.ending(.fail)
        }
        #expect(scheduler.failure == code)
    }

    @Test func `A client that cannot be started outweighs a missing prerequisite`() throws {
        let scheduler = try Self.scheduler(["a", "b"], jobs: 1, EventRecorder()) { turn, _ in
            turn.item.id == "a"
                ? .failed(Obstacle(.environment, "no port is free"), title: "A") : Self.ending(.error)
        }
        #expect(scheduler.failure == .internalError)
    }
}
