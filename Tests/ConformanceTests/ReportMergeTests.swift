import Basics
import Expectations
import Testing

@testable import Conformance

@Suite struct ReportMergeTests {
    private static func report(_ shard: String?, _ ids: [String], version: String = "1") -> Report {
        var report = Report(version: version, seed: 7, shard: shard.flatMap { Selection.Shard($0) })
        for id in ids { report.add(id, Outcome(.pass, title: id, seed: 7, duration: .seconds(1))) }
        return report
    }

    @Test func `Shards in any order give the report of the whole suite`() throws {
        let parts = [
            Report.Part("3", Self.report("3/3", ["c"])), Report.Part("1", Self.report("1/3", ["a", "d"])),
            Report.Part("2", Self.report("2/3", ["b", "e"])),
        ]
        let merged = try Report(merging: parts)
        #expect(merged == Self.report(nil, ["a", "b", "c", "d", "e"]))
        #expect(Report.gaps(in: parts).isEmpty)
    }

    @Test func `Reports that are not shards follow one another`() throws {
        let merged = try Report(merging: [
            Report.Part("x", Self.report(nil, ["b"])), Report.Part("y", Self.report(nil, ["a"])),
        ])
        #expect(merged.cases.map(\.id) == ["b", "a"])
        #expect(merged.seed == 7)
        var other = Report(version: "1")
        other.add("c", Outcome(.pass, title: "c", seed: 8))
        #expect(try Report(merging: [Report.Part("x", Self.report(nil, ["b"])), Report.Part("y", other)]).seed == 1)
    }

    @Test(
        arguments: [
            ([], "there is no report to merge"),
            (
                [Report.Part("x", report("1/2", ["a"])), Report.Part("y", report("2/2", ["b", "a"]))],
                #"x and y both contain the case "a": merge each part once"#
            ),
            ([Report.Part("x", report("1/2", ["a"])), Report.Part("x", report("1/2", ["a"]))], "x and x both contain"),
            (
                [Report.Part("x", report("1/2", ["a"])), Report.Part("y", report("2/2", ["b"], version: "2"))],
                "x is of lubdub 1, and y of 2: run all parts with the same version"
            ),
            (
                [Report.Part("x", report("1/2", ["a"])), Report.Part("y", report("2/3", ["b"]))],
                "x is shard 1/2, and y is shard 2/3: merge the parts of one run"
            ),
            (
                [Report.Part("x", report("1/2", ["a"])), Report.Part("y", report(nil, ["b"]))],
                "x is shard 1/2, and y is not a shard"
            ),
        ] as [([Report.Part], String)])
    func `Reports that do not belong together are a problem`(parts: [Report.Part], message: String) {
        let error = #expect(throws: Obstacle.self) { try Report(merging: parts) }
        #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    }

    @Test func `Missing and incomplete shards are reported`() {
        let parts = [
            Report.Part("x", Self.report("1/4", ["a", "b", "c"])), Report.Part("y", Self.report("3/4", ["d"])),
        ]
        #expect(
            Report.gaps(in: parts) == [
                "missing: shard 2/4, 4/4", "y has only 1 case: it was interrupted, or ended by --until-fail",
            ])
        let huge = [Report.Part("x", Self.report("1/9223372036854775807", ["a", "b"]))]
        #expect(Report.gaps(in: huge).first?.hasSuffix("and 9223372036854775786 more") == true)
        #expect((try? Report(merging: huge))?.cases.count == 2)
    }
}
