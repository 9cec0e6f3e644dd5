import Arguments
import Conformance
import Expectations
import Glibc
import Simulation
import Synchronization
import Testing

@testable import ClientTesting
@testable import CommandSupport

/// Cases that are played side by side, by threads that wait for one another.
@Suite struct RoundTests {
    /// The events, in order.
    private final class Diary: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func note(_ line: String) { lines.withLock { $0.append(line) } }

        /// Waits until it has a line: false when that takes longer than any machine needs.
        func wait(for line: String) -> Bool {
            for _ in 0..<10_000 {
                if lines.withLock({ $0.contains(line) }) { return true }
                usleep(1000)
            }
            return false
        }
    }

    private static func ending(_ verdict: Verdict, disturbance: String? = nil) -> SuiteScheduler.CaseCompletion {
        var result = CaseResult(unplayed: Outcome(verdict, title: "x"))
        result.disturbance = disturbance
        return .played(result)
    }

    private static func scheduler(
        _ ids: [String], jobs: Int, isInOrder: Bool = false, _ diary: Diary, from signals: Signals? = nil,
        play: @escaping @Sendable (SuiteScheduler.Turn, Signals) -> SuiteScheduler.CaseCompletion
    ) throws -> SuiteScheduler {
        let runner = CaseRunner(ids.map { Case($0, path: $0, of: "all") }, into: Report(version: "1"))
        let callbacks = SuiteScheduler.Callbacks(
            play: play, report: { turn, _ in diary.note("told \(turn.item.id)") }, interruption: { nil })
        let relay = try SignalRelay()
        return try SuiteScheduler(runner, jobs: jobs, isInOrder: isInOrder, callbacks).run(signals ?? relay.signals)
    }

    @Test(arguments: [(false, ["told b", "told a", "told c"]), (true, ["told a", "told b", "told c"])])
    func `Two cases run at once, and are reported as they end, or in the suite's order`(
        isInOrder: Bool, told: [String]
    ) throws {
        let diary = Diary()
        let scheduler = try Self.scheduler(["a", "b", "c"], jobs: 2, isInOrder: isInOrder, diary) { turn, _ in
            // The first ends when the third has begun, which takes the place of the second.
            if turn.item.id == "a" { #expect(diary.wait(for: "began c")) }
            diary.note("began \(turn.item.id)")
            if turn.item.id == "c" { #expect(diary.wait(for: isInOrder ? "began a" : "told a")) }
            return Self.ending(.pass)
        }
        #expect(diary.all.filter { $0.hasPrefix("told") } == told)
        #expect(scheduler.runner.report.cases.map(\.id) == ["a", "b", "c"])
        #expect(scheduler.interruption == nil)
    }

    @Test func `With one job they follow one another`() throws {
        let diary = Diary()
        _ = try Self.scheduler(["a", "b"], jobs: 1, diary) { turn, _ in
            diary.note("began \(turn.item.id)")
            return Self.ending(.pass)
        }
        #expect(diary.all == ["began a", "told a", "began b", "told b"])
    }

    @Test func `Cases that this machine disturbed run again at the end, and only that result is reported`() throws {
        let diary = Diary()
        let scheduler = try Self.scheduler(["a", "b"], jobs: 1, diary) { turn, _ in
            diary.note("began \(turn.item.id)")
            return turn.item.id == "a" && !turn.isSecond
                ? Self.ending(.inconclusive, disturbance: "this machine stalled") : Self.ending(.pass)
        }
        #expect(diary.all == ["began a", "began b", "told b", "began a", "told a"])
        #expect(scheduler.runner.report.summary[.pass] == 2)
    }

    @Test func `A signal reaches all that are being played, and nothing more begins`() throws {
        let (diary, relay) = (Diary(), try SignalRelay())
        let scheduler = try Self.scheduler(["a", "b", "c", "d"], jobs: 2, diary, from: relay.signals) { turn, signals in
            guard turn.item.id != "a" else { return Self.ending(.pass) }
            diary.note("began \(turn.item.id)")
            if turn.item.id == "c" { relay.send(SIGINT) }
            for _ in 0..<10_000 {
                if let number = signals.take() {
                    return .played(CaseResult(unplayed: Outcome(.skip, title: "x"), code: .signal(number)))
                }
                usleep(1000)
            }
            return Self.ending(.fail)
        }
        #expect(scheduler.interruption == .signal(SIGINT))
        #expect(scheduler.runner.report.cases.map(\.id) == ["a"])
        #expect(!diary.all.contains("began d"))
        #expect(scheduler.runner.report.summary[.fail] == 0)
    }

    @Test func `The failure of one case is an error of that case`() throws {
        let diary = Diary()
        let scheduler = try Self.scheduler(["a", "b"], jobs: 4, diary) { turn, _ in
            turn.item.id == "a"
                ? .failed(CommandFailure(.environment, "no port is free"), title: "A") : Self.ending(.pass)
        }
        #expect(scheduler.runner.report.cases.map(\.outcome.verdict) == [.error, .pass])
        #expect(scheduler.runner.report.cases.first?.outcome.reasons == ["no port is free"])
    }
}
