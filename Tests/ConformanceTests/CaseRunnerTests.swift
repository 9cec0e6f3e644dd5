import Expectations
import Testing

@testable import Conformance

@Suite struct CaseRunnerTests {
    private static func runner(_ ids: String...) -> CaseRunner<Case> {
        CaseRunner(ids.map { Case($0, path: $0, of: "all") }, into: Report(version: "1"))
    }

    private static func outcome(_ verdict: Verdict) -> Outcome { Outcome(verdict, title: "x") }

    /// The next turns, at most `count`.
    private static func turns(_ count: Int, of runner: inout CaseRunner<Case>) -> [CaseRunner<Case>.Turn] {
        var turns: [CaseRunner<Case>.Turn] = []
        while turns.count < count, let turn = runner.next() { turns.append(turn) }
        return turns
    }

    @Test func `An error ends only its case, and an interrupted case is not in the report`() {
        var runner = Self.runner("a", "b", "c", "d")
        for verdict in [.pass, .error, .pass, nil] as [Verdict?] {
            for turn in Self.turns(1, of: &runner) {
                let hasEnded = runner.ended(turn, verdict.map(Self.outcome))
                #expect(hasEnded == (verdict != nil))
            }
        }
        #expect(Self.turns(1, of: &runner).isEmpty)
        #expect(runner.report.cases.map(\.id) == ["a", "b", "c"])
        #expect(runner.report.cases.map(\.outcome.verdict) == [.pass, .error, .pass])
        #expect(runner.count == 3)
    }

    /// It is asked for after each case, so a run of n cases would look at n² outcomes if they were counted anew.
    @Test func `The number of outcomes is kept, not counted`() throws {
        #expect(MemoryLayout<CaseRunner<Case>>.offset(of: \.count) != nil)
        var runner = Self.runner("a", "b", "c", "d")
        let turns = Self.turns(4, of: &runner)
        for (turn, verdict) in zip(turns, [.pass, .inconclusive, nil, .pass] as [Verdict?]) {
            _ = runner.ended(turn, verdict.map(Self.outcome), isDisturbed: verdict == .inconclusive)
        }
        #expect(runner.count == 3)
        let second = try #require(Self.turns(1, of: &runner).first)
        _ = runner.ended(second, Self.outcome(.pass))
        #expect(second.isSecond && runner.count == 3)
        runner.end(after: second)
        #expect(runner.count == 2 && runner.report.cases.map(\.id) == ["a", "b"])
    }

    @Test func `A report is in the suite's order, whichever ends first`() {
        var runner = Self.runner("a", "b", "c")
        let turns = Self.turns(4, of: &runner)
        #expect(turns.map(\.item.id) == ["a", "b", "c"])
        for turn in turns.reversed() { _ = runner.ended(turn, Self.outcome(.pass)) }
        #expect(runner.report.cases.map(\.id) == ["a", "b", "c"])
    }

    @Test(
        arguments: [
            (.pass, false, .pass), (.inconclusive, true, .inconclusive), (.fail, false, .fail),
            (nil, false, .inconclusive),
        ] as [(Verdict?, Bool, Verdict)])
    func `A disturbed case runs once more, alone, at the end`(
        second: Verdict?, again: Bool, verdict: Verdict
    ) throws {
        var runner = Self.runner("a", "b", "c")
        let disturbed = try #require(Self.turns(1, of: &runner).first)
        var hasEnded = runner.ended(disturbed, Self.outcome(.inconclusive), isDisturbed: true)
        #expect(!hasEnded && !disturbed.isSecond)
        for turn in Self.turns(3, of: &runner) {
            #expect(!turn.isSecond)
            #expect(Self.turns(1, of: &runner).isEmpty)
            hasEnded = runner.ended(turn, Self.outcome(.pass))
            #expect(hasEnded)
        }
        let turns = Self.turns(2, of: &runner)
        #expect(turns.map(\.item.id) == ["a"])
        let turn = try #require(turns.first)
        #expect(turn.isSecond)
        hasEnded = runner.ended(turn, second.map(Self.outcome), isDisturbed: again)
        #expect(hasEnded == (second != nil))
        #expect(Self.turns(1, of: &runner).isEmpty)
        #expect(runner.report.cases.map(\.outcome.verdict) == [verdict, .pass, .pass])
    }
}
