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

    /// Also if all shards were interrupted alike, or if there is only one report.
    @Test func `A report of an interrupted run is named, also in the merged report`() throws {
        func part(_ file: String, _ shard: String?, _ ids: [String], of selected: Int) -> Report.Part {
            var report = Self.report(shard, ids)
            if ids.count < selected { report.gaps = ["interrupted: \(ids.count) of \(selected) cases were run"] }
            return Report.Part(file, report)
        }
        let short = [
            part("i1", "1/3", ["a", "d", "g", "j"], of: 5), part("p2", "2/3", ["b", "e", "h", "k"], of: 4),
            part("p3", "3/3", ["c", "f", "i", "l"], of: 4),
        ]
        let gap = ["i1: interrupted: 4 of 5 cases were run"]
        #expect(Report.gaps(in: short) == gap)
        let merged = try Report(merging: short)
        #expect(merged.gaps == gap && merged.cases.count == 12)
        #expect(try Report(merging: [Report.Part("m", merged)]).gaps == ["m: \(gap[0])"])
        #expect(Report.gaps(in: [part("x", "1/1", ["a"], of: 3)]).count == 1)
        #expect(Report.gaps(in: [part("x", nil, ["a"], of: 3), part("y", nil, ["b"], of: 1)]).count == 1)
        #expect(Report.gaps(in: [part("x", "1/2", ["a"], of: 2), part("y", "2/2", ["b"], of: 2)]).count == 2)
    }

    @Test func `Missing and incomplete shards are reported`() throws {
        let parts = [
            Report.Part("x", Self.report("1/4", ["a", "b", "c"])), Report.Part("y", Self.report("3/4", ["d"])),
        ]
        #expect(
            Report.gaps(in: parts) == [
                "missing: shard 2/4, 4/4", "y has only 1 case: it was interrupted, or ended by --until-fail",
            ])
        #expect(try Report(merging: parts).gaps == Report.gaps(in: parts))
        let huge = [Report.Part("x", Self.report("1/9223372036854775807", ["a", "b"]))]
        #expect(Report.gaps(in: huge).first?.hasSuffix("and 9223372036854775786 more") == true)
        #expect((try? Report(merging: huge))?.cases.count == 2)
    }
}
