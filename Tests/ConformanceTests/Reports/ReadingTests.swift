import Basics
import Documents
import Expectations
import Mutations
import Testing

@testable import Conformance

/// Reading of JSON reports.
@Suite struct ReadingTests {
    private static var report: Report {
        var report = Report(version: "0.1", seed: 7)
        report.add("a/pass", Outcome(.pass, title: "Pass \u{1B}", duration: .milliseconds(1500)))
        let finding = CaseFinding(
            id: "shows", requirement: "R", verdict: .fail, why: Reason(expected: "this", seen: "that"),
            trace: ["1.0  -> one", "2.0  <- two"])
        let other = CaseFinding(id: "clears", verdict: .inconclusive, reason: "not said")
        report.add(
            "a/fail", Outcome(judging: [finding, other], title: "Fail", replay: "lubdub", duration: .seconds(3)))
        return report
    }

    @Test func `A written report reads back the same`() throws {
        let (read, problems) = JSONReport.read(Array(JSONReport.text(of: Self.report).utf8), file: "r.json")
        let report = try #require(read)
        #expect(problems == [])
        #expect(JSONReport.text(of: report) == JSONReport.text(of: Self.report))
        let fail = report.cases[1].outcome
        #expect(fail.reasons == ["shows (R): expected this; that", "clears: not said"])
        #expect(fail.faults.map(\.trace) == [["1.0  -> one", "2.0  <- two"], []])
        #expect(fail.requirements == ["R"])
        #expect(fail.replay == "lubdub")
        #expect(report.cases[1].start == .start.advanced(by: .milliseconds(1500)))
        #expect(report.seed == 7)
    }

    @Test func `A report can be larger than a scenario, and what is too large to be read again is told`() throws {
        var report = Report(version: "0.1", seed: 7)
        var outcome = Outcome(.pass, title: "x")
        outcome.note = String(repeating: "n", count: 17 << 20)
        report.add("a", outcome)
        let text = JSONReport.text(of: report)
        let (read, problems) = JSONReport.read(Array(text.utf8), file: "r.json")
        #expect(problems == [])
        #expect(read?.cases.first?.outcome.note?.utf8.count == 17 << 20)
        let (cases, octets) = (JSONReport.maximumCases, JSONReport.maximumSize)
        #expect(JSONReport.unreadableReason(cases: cases, octets: octets) == nil)
        #expect(JSONReport.unreadableReason(cases: 1, octets: octets + 1) == "it is larger than 256 MiB")
        #expect(JSONReport.unreadableReason(cases: cases + 1, octets: 1) == "it has more than 100000 cases")
        let huge = JSONReport.read(repeatElement(UInt8(ascii: " "), count: octets + 1), file: "r.json")
        #expect(huge.problems.map(\.code) == [.tooLarge])
    }

    @Test func `A report has the reason why cases are missing, and those of older versions need none`() throws {
        var report = Self.report
        #expect(
            !JSONReport.text(of: report).contains("incomplete")
                && !JSONReport.lastLine(of: report).contains("incomplete"))
        report.gaps = [#"interrupted: 2 of 5 cases were run "x""#]
        let read = JSONReport.read(Array(JSONReport.text(of: report).utf8), file: "r.json")
        #expect(read.problems == [] && read.report?.gaps == report.gaps)
        #expect(try Node(json: JSONReport.lastLine(of: report).utf8, file: "line")["incomplete"]?.kind == "an array")
        let older = JSONReport.read(Array(Self.text(Self.item(), passed: 1).utf8), file: "r.json")
        #expect(older.problems == [] && older.report?.gaps == [])
    }

    private static func text(_ item: String, passed: Int = 0, seed: String = "1", rest: String = "") -> String {
        let summary = #"{"pass": \#(passed), "fail": 0, "inconclusive": 0, "skip": 0, "error": 0}"#
        return #"{"lubdub": "1", "seed": \#(seed), "cases": [\#(item)], "summary": \#(summary)\#(rest)}"#
    }

    private static func item(_ id: String = "a", verdict: String = "pass", duration: String = "1") -> String {
        #"{"id": "\#(id)", "title": "", "verdict": "\#(verdict)", "requirement": null, "reason": null, "replay": null, "start": 0, "duration": \#(duration)}"#
    }

    @Test(
        arguments: [
            ("", "r.json:1:1: LD0102"), ("[]", "r.json:1:1: LD0108: expected an object"),
            ("{}", "r.json:1:1: LD0106: lubdub: \"lubdub\", \"cases\" and \"summary\" are required"),
            (text("7"), "r.json:1:38: LD0108: cases[0]"),
            (text(item(verdict: "pas")), "LD0110: cases[0].verdict: unknown name \"pas\""),
            (text(item(duration: "-1")), "LD0109: cases[0].duration"),
            (text(item(duration: "1e999")), "LD0109: cases[0].duration"),
            (text(item() + "," + item()), "LD0131: cases[1].id: another case has the id \"a\""),
            (text(item("")), "LD0109: cases[0].id: the id of a case must not be empty"),
            (text(item()), "LD0109: summary.pass: expected 1, the number of cases with this verdict"),
            (text("", seed: "-1"), "LD0109: seed"), (text("", rest: #", "x": 1"#), "LD0107: x: unknown key"),
            (String(repeating: "[", count: 100), "LD0103"), ("{\"lubdub\": \"\\ud800\"}", "LD0104"),
        ])
    func `Problems of an invalid report have their position`(text: String, problem: String) {
        let (report, problems) = JSONReport.read(Array(text.utf8), file: "r.json")
        #expect(report == nil)
        #expect(problems.contains { $0.description.contains(problem) }, "\(problems)")
    }

    @Test func `Durations that are too long become the maximum`() throws {
        let text = Self.text(
            [Self.item("a", duration: "1e300"), Self.item("b", duration: "1e300")].joined(separator: ","), passed: 2)
        let report = try #require(JSONReport.read(Array(text.utf8), file: "r.json").report)
        #expect(report.cases.count == 2)
        for text in [JSONReport.text(of: report), HTMLReport.text(of: [ReportColumn("x", report)])] {
            #expect(!text.isEmpty)
        }
    }

    @Test func `A report with too many cases is rejected`() {
        let text = Self.text(Array(repeating: "{}", count: JSONReport.maximumCases + 1).joined(separator: ","))
        let (report, problems) = JSONReport.read(Array(text.utf8), file: "r.json")
        #expect(report == nil)
        #expect(problems.count <= ProblemLog.maximum + 1)
    }

    @Test func `A corrupt report is read or rejected`() {
        let octets = Array(JSONReport.text(of: Self.report).utf8)
        for mutation in octets.mutations {
            let (report, problems) = JSONReport.read(mutation, file: "r.json")
            #expect((report == nil) != problems.isEmpty)
            if let report { #expect(!HTMLReport.text(of: [ReportColumn("x", report)]).isEmpty) }
        }
    }
}
