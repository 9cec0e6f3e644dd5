import Basics
import CommandSupport
import Conformance
import Documents
import Expectations
import Testing

@testable import Cases

/// Every format of a report has the same facts about a failure.
@Suite struct FormatTests {
    private static let finding = CaseFinding(
        id: "shows", requirement: "HRP/COL/HRF/BV-04-C", verdict: .fail,
        why: Reason(expected: "output of 300", seen: "1 of 2 came", cause: "it looks like swapped octets"),
        at: .start.advanced(by: .milliseconds(52_427)),
        trace: ["52.000000  <- ATT Handle Value Notification  1B 0D", "52.400000  client: 11265"])

    /// What each format must contain, in its own escaping.
    private static let facts = [
        "shows", "HRP/COL/HRF/BV-04-C", "output of 300", "1 of 2 came", "it looks like swapped octets", "52.427000",
        "52.000000  <- ATT Handle Value Notification  1B 0D", "52.400000  client: 11265", "Two octets matter.",
        "lubdub run a.json --seed 17",
    ]

    private static var report: Report {
        var report = Report(version: "1", seed: 17)
        var outcome = Outcome(
            judging: [finding], title: "Two octets", replay: "lubdub run a.json --seed 17", seed: 17,
            duration: .seconds(60))
        outcome.note = "Two octets matter."
        outcome.clientErrors = ["Traceback <most recent>:", "  KeyError"]
        report.add("a@17", outcome, run: CampaignRun(caseID: "a", seed: 17))
        return report
    }

    private static func formats(of report: Report) -> [(name: String, text: String)] {
        let terminal = report.cases.flatMap { CaseFormatter(paint: Paint(isOn: false), isVirtual: true).lines($0) }
        let columns = [ReportColumn("verdict", report)]
        return [
            ("JUnit", JUnitReport.text(of: report)), ("Markdown", MarkdownReport.text(of: columns)),
            ("HTML", HTMLReport.text(of: columns)), ("JSON", JSONReport.text(of: report)),
            ("terminal", terminal.map(\.description).joined(separator: "\n")),
        ]
    }

    @Test
    func `All formats have what was expected, seen and when, the cause, the packets, the note and the replay command`()
        throws
    {
        let read = try #require(JSONReport.read(Array(JSONReport.text(of: Self.report).utf8), file: "r.json").report)
        // A report that is read back has them, too.
        for report in [Self.report, read] {
            for (name, text) in Self.formats(of: report) {
                for fact in Self.facts {
                    let escaped = fact.replacing("<", with: "&lt;")
                    #expect(text.contains(fact) || text.contains(escaped), "\(name) lacks \(fact): \(text)")
                }
                #expect(text.contains("a@17"), "\(name)")
            }
        }
        #expect(read == Self.report)
    }

    private static func items(_ node: Node?) -> [Node] {
        if case .array(let nodes)? = node?.value { nodes } else { [] }
    }

    @Test func `The fields of JSON are separate`() throws {
        let root = try Node(json: JSONReport.text(of: Self.report).utf8, file: "r.json")
        let row = try #require(Self.items(root["cases"]).first)
        let finding = try #require(Self.items(row["findings"]).first)
        #expect(finding["expected"]?.string == "output of 300")
        #expect(finding["seen"]?.string == "1 of 2 came")
        #expect(finding["cause"]?.string == "it looks like swapped octets")
        #expect(finding["at"]?.json == "52.427000")
        #expect(Self.items(finding["packets"]).compactMap(\.string) == Self.finding.trace)
        #expect(row["case"]?.string == "a")
        #expect(row["seed"]?.json == "17")
        #expect(row["stderr"]?.string == "Traceback <most recent>:\n  KeyError")
    }

    @Test func `JUnit and HTML have the client's standard error, also of a case that passed`() {
        var passed = Report(version: "1")
        var outcome = Outcome(.pass, title: "x")
        outcome.clientErrors = ["warning: <old>"]
        passed.add("x", outcome)
        for (report, text) in [
            (Self.report, "Traceback &lt;most recent&gt;:\n  KeyError"), (passed, "warning: &lt;old&gt;"),
        ] {
            #expect(JUnitReport.text(of: report).contains("<system-err>\(text)</system-err>"))
            #expect(HTMLReport.text(of: [ReportColumn("x", report)]).contains(text))
        }
    }
}
