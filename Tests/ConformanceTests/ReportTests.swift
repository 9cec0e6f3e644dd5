import Basics
import Expectations
import Testing

@testable import Conformance

@Suite struct ReportTests {
    private static func finding(_ id: String, _ verdict: Verdict) -> CaseFinding {
        CaseFinding(id: id, requirement: "R/\(id)", verdict: verdict, reason: verdict == .pass ? nil : "why \(id)")
    }

    @Test(
        arguments: [
            ([.pass, .pass], .pass, ["R/0", "R/1"], []),
            ([.skip, .pass], .pass, ["R/1"], ["0 (R/0): why 0"]), ([.skip], .skip, ["R/0"], ["0 (R/0): why 0"]),
            ([.pass, .inconclusive], .inconclusive, ["R/1"], ["1 (R/1): why 1"]),
            ([.inconclusive, .fail, .pass], .fail, ["R/1"], ["0 (R/0): why 0", "1 (R/1): why 1"]),
            ([.fail, .error], .error, ["R/1"], ["0 (R/0): why 0", "1 (R/1): why 1"]),
        ] as [([Verdict], Verdict, [String], [String])])
    func `The verdict is the worst of the findings`(
        verdicts: [Verdict], verdict: Verdict, requirements: [String], reasons: [String]
    ) {
        let findings = verdicts.enumerated().map { Self.finding("\($0.offset)", $0.element) }
        let outcome = Outcome(judging: findings, title: "x", duration: .seconds(1))
        #expect(outcome.verdict == verdict)
        #expect(outcome.requirements == requirements)
        #expect(outcome.reasons == reasons)
    }

    private func report(_ verdicts: [(String, Verdict)]) -> Report {
        var report = Report(version: "1")
        for (id, verdict) in verdicts { report.add(id, Outcome(verdict, title: id, duration: .seconds(2))) }
        return report
    }

    @Test(
        arguments: [
            ([], .environment), ([.skip, .skip], .environment), ([.pass, .skip], .success),
            ([.pass, .inconclusive], .failure), ([.pass, .fail], .failure), ([.fail, .error, .pass], .internalError),
        ] as [([Verdict], ExitCode)])
    func `The exit code follows from the verdicts`(verdicts: [Verdict], code: ExitCode) {
        #expect(report(verdicts.map { ("x", $0) }).code == code)
    }

    @Test func `Cases are grouped by their first folder and are consecutive in time`() {
        let report = report([("b/x", .pass), ("a/x/y", .fail), ("z", .skip), ("b/y", .inconclusive), ("/r/s", .pass)])
        #expect(report.groups.map(\.name) == ["b", "a", nil, "r"])
        #expect(report.groups.map { $0.cases.map(\.id) } == [["b/x", "b/y"], ["a/x/y"], ["z"], ["/r/s"]])
        #expect(report.groups[0].tally[.inconclusive] == 1)
        #expect(report.groups[0].duration == .seconds(4))
        #expect(report.cases.map(\.start.nanoseconds) == [0, 2, 4, 6, 8].map { $0 * 1_000_000_000 })
        #expect(report.summary.total == 5)
        #expect(report.duration == .seconds(10))
    }

    @Test func `A group has the name of a folder, not of the way to it`() {
        let report = report([("./a/x", .pass), ("../a/y", .pass), ("./z", .pass), ("../../z", .pass), ("..", .pass)])
        #expect(report.groups.map(\.name) == ["a", nil])
        #expect(report.groups.map { $0.cases.count } == [2, 3])
    }

    @Test(
        arguments: [([], nil, 1), ([7, 7], nil, 7), ([7, 8], nil, 1), ([7, 8], 9, 9)] as [([UInt64], UInt64?, UInt64)])
    func `A report has the seed of the command line, else of all cases`(seeds: [UInt64], given: UInt64?, seed: UInt64) {
        var report = Report(version: "1", seed: given)
        report.add("unplayed", Outcome(.error, title: "x"))
        for seed in seeds { report.add("x", Outcome(.pass, title: "x", seed: seed)) }
        #expect(report.seed == seed)
    }
}
