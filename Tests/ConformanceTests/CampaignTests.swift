import Basics
import Expectations
import Testing

@testable import Conformance

@Suite struct CampaignTests {
    private static func campaign(_ seeds: String?, _ repetitions: Int?) -> Campaign {
        Campaign(seeds.flatMap { SeedRange($0) }, repetitions: repetitions)
    }

    private static let cases = [Case("a", path: "a.json", of: "all"), Case("b", path: "b.json", seed: 5, of: "all")]

    @Test(
        arguments: [
            (nil, nil, ["a", "b"], [nil, 5]), ("7..8", nil, ["a@7", "a@8", "b@7", "b@8"], [7, 8, 7, 8]),
            (nil, 2, ["a#1", "a#2", "b#1", "b#2"], [nil, nil, 5, 5]),
            ("0..0", 2, ["a@0#1", "a@0#2", "b@0#1", "b@0#2"], [0, 0, 0, 0]), (nil, 1, ["a#1", "b#1"], [nil, 5]),
        ] as [(String?, Int?, [String], [UInt64?])])
    func `Each case runs with each seed, as often as asked`(
        seeds: String?, repetitions: Int?, ids: [String], used: [UInt64?]
    ) throws {
        let runs = try Self.campaign(seeds, repetitions).runs(of: Self.cases)
        #expect(runs.map(\.id) == ids)
        #expect(runs.map(\.seed) == used)
        #expect(runs.map(\.caseID) == ids.map { String($0.prefix(1)) })
        #expect(runs.map(\.ownID) == ids.map { String($0.prefix(1)) })
    }

    @Test func `A case that is given twice is counted on`() throws {
        let runs = try Self.campaign(nil, 2).runs(of: [Self.cases[0], Self.cases[0]])
        #expect(runs.map(\.id) == ["a#1", "a#2", "a#3", "a#4"])
    }

    @Test(
        arguments: [
            "5..1", "1..", "..1", "1", "1...5", "a..b", "-1..5", "+1..5", "1..9223372036854775808", "", "1..2..3",
            "1,2",
        ])
    func `An invalid range of seeds is rejected`(text: String) { #expect(SeedRange(text) == nil) }

    @Test(
        arguments: [
            ("0..9223372036854775807", nil, "--seeds: there are more than 20000 runs"),
            ("1..10001", nil, "--seeds: there are more than 20000 runs"), (nil, 10_001, "--repeat: there are more"),
            ("0..9223372036854775807", 10, "--seeds and --repeat: there are more than 20000 runs"),
        ] as [(String?, Int?, String)])
    func `A huge campaign is rejected at once`(seeds: String?, repetitions: Int?, message: String) throws {
        let error = #expect(throws: Obstacle.self) {
            try Self.campaign(seeds, repetitions).runs(of: Self.cases)
        }
        #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
        #expect(try Self.campaign("1..10000", nil).runs(of: Self.cases).count == 20_000)
    }

    // MARK: Reports

    private static func report(_ runs: [(CampaignRun, Verdict)]) -> Report {
        var report = Report(version: "1")
        for (run, verdict) in runs {
            let replay = "lubdub run all --seed \(run.seed ?? 1) --only \(run.caseID)"
            report.add(run.id, Outcome(verdict, title: "x", replay: replay, seed: run.seed ?? 1), run: run)
        }
        return report
    }

    private static func seeds(_ id: String, failing: Set<UInt64>, of count: UInt64) -> [(CampaignRun, Verdict)] {
        (1...count).map { (CampaignRun(caseID: id, seed: $0), failing.contains($0) ? .fail : .pass) }
    }

    @Test func `The summary has the seeds that failed, and a command that repeats the first`() {
        let report = Self.report(
            Self.seeds("resting", failing: [17, 44, 101], of: 200) + Self.seeds("good", failing: [], of: 200))
        #expect(
            report.campaign.map(\.line) == [
                "resting: 3 of 200 seeds failed: 17, 44, 101; replay: lubdub run all --seed 17 --only resting"
            ])
    }

    @Test func `The summary abbreviates, and has all verdicts`() {
        let all = Self.report(Self.seeds("a", failing: Set(1...30), of: 30)).campaign.map(\.line)
        #expect(all.first?.hasPrefix("a: all 30 seeds failed: 1, 2, ") == true)
        #expect(all.first?.contains(", 20 and 10 more; replay: ") == true)
        let runs = ([.pass, .inconclusive, .fail, .error, .skip] as [Verdict]).enumerated().map { number, verdict in
            (CampaignRun(caseID: "a", number: number + 1), verdict)
        }
        #expect(
            Self.report(runs).campaign.map(\.line) == [
                "a: 1 of 5 runs failed: 3; 1 of 5 runs had an error: 4; 1 of 5 runs was inconclusive: 2; "
                    + "replay: lubdub run all --seed 1 --only a"
            ])
        let one = [(CampaignRun(caseID: "a", seed: 3, number: 1), Verdict.fail)]
        #expect(Self.report(one).campaign.first?.line.hasPrefix("a: 1 of 1 run failed: 3#1;") == true)
        #expect(Self.report([]).campaign.isEmpty)
    }

    // MARK: The last failures

    @Test func `The runs that failed are run again with their seeds, each once`() throws {
        var report = Self.report(Self.seeds("a", failing: [2, 3], of: 4))
        for number in 1...3 {
            let run = CampaignRun(caseID: "b", number: number)
            report.add(run.id, Outcome(number == 1 ? .pass : .fail, title: "x", seed: 5), run: run)
        }
        let runs = try report.failed(of: Self.cases, in: "r.json")
        #expect(runs.map(\.id) == ["a@2", "a@3", "b"])
        #expect(runs.map(\.seed) == [2, 3, 5])
        let repeated = try Self.campaign(nil, 2).runs(of: runs)
        #expect(repeated.map(\.id) == ["a@2#1", "a@2#2", "a@3#1", "a@3#2", "b#1", "b#2"])
        #expect(repeated.map(\.seed) == [2, 2, 3, 3, 5, 5])
    }

    @Test func `A case that was never played runs again, and an unknown one is a problem`() throws {
        var report = Report(version: "1")
        report.add("b", Outcome(.error, title: "x"))
        report.add("a", Outcome(.skip, title: "x"))
        #expect(try report.failed(of: Self.cases, in: "r.json") == [Self.cases[1]])
        report.add("c", Outcome(.inconclusive, title: "x"))
        let error = #expect(throws: Obstacle.self) { try report.failed(of: Self.cases, in: "r.json") }
        #expect(error?.description.contains(#""c" of r.json is not one of the cases"#) == true)
    }
}
