import Basics
import Documents
import Expectations
import ScenarioLanguage
import ScenarioModel
import Testing

@testable import Conformance

/// Reports as HTML and Markdown.
@Suite struct PageTests {
    private static let nasty = "</style><script>alert(1)</script> \"'&\u{0}\u{202E}| `code` [x](y)"

    /// The timeline of a strap that is lost for a while, with a client that prints its heart rates.
    private static func timeline(printing lines: [Node] = []) throws -> CaseTimeline {
        let text = """
            {"lubdub": 1, "name": "x", "devices": [{"id": "strap", "name": "S",
             "services": [{"service": "heart_rate", "value": 62}]}],
             "script": [{"id": "lost", "when": "20 s", "do": "link_loss", "of": "strap", "for": "5 s"}]}
            """
        let scenario = try #require(ScenarioFile.read("x.json", variables: [:]) { _ in Array(text.utf8) }.scenario)
        let recorder = CaseTimelineRecorder(
            scenario, ValueFormatter(entity: { _, _ in "" }, value: { _, _, _, _ in false }))
        var journal = EventJournal { recorder.take($0) }
        func note(_ event: EventName, _ entity: String, _ seconds: Int, value: String? = nil) {
            var record = EventRecord(event, of: entity, at: .start.advanced(by: .seconds(seconds)))
            record.value = value
            if event == .began || event == .ended { record.rule = entity }
            journal.append(record)
        }
        note(.advertising, "strap", 0)
        note(.connected, "strap", 10)
        for second in 11..<20 { note(.delivered, "strap/heart_rate", second, value: "{\"bpm\": \(second + 50)}") }
        note(.began, "lost", 20)
        note(.ended, "lost", 25)
        journal.append(line: Node(.object([])), at: .start.advanced(by: .seconds(12)))
        journal.append(line: Node(.string(nasty)), at: .start.advanced(by: .seconds(13)))
        for line in lines { journal.append(line: line, at: .start.advanced(by: .seconds(14))) }
        journal.flush()
        return recorder.timeline(until: .start.advanced(by: .seconds(40)))
    }

    private static func report(
        _ verdicts: [(String, Verdict)], hasTimelines: Bool = false, printing lines: [Node] = []
    ) throws -> Report {
        var report = Report(version: "1")
        for (id, verdict) in verdicts {
            let why = verdict == .pass ? nil : Reason(expected: "this " + nasty, seen: "that")
            let finding = CaseFinding(
                id: "shows", requirement: "HRP/COL/HRF/BV-04-C", verdict: verdict, why: why,
                at: .start.advanced(by: .seconds(12)), trace: ["1.000000  -> ATT Read Request", "2.0  client says <b>"])
            var outcome = Outcome(
                judging: [finding], title: "Title of \(id)", replay: "lubdub run a", duration: .seconds(40))
            if hasTimelines { outcome.timeline = try timeline(printing: lines) }
            report.add(id, outcome)
        }
        return report
    }

    private static func page(_ reports: (String, Report)...) -> String {
        HTMLReport.text(of: reports.map { ReportColumn($0.0, $0.1) })
    }

    @Test func `A page is self-contained, and escapes all text`() throws {
        let page = Self.page((Self.nasty, try Self.report([(Self.nasty, .fail), ("b", .pass)], hasTimelines: true)))
        #expect(page.contains("default-src 'none'"))
        #expect(!page.contains("<script"))
        #expect(page.count(of: "</style>") == 1)
        #expect(!page.contains("url("))
        // The only address is the SVG namespace in the icon.
        #expect(page.count(of: "http") == 2 + page.count(of: "xmlns='http") - 1)
        #expect(!page.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.properties.isBidiControl })
        #expect(page.contains("&lt;/style&gt;&lt;script&gt;alert(1)"))
        #expect(page.contains("\\u{202E}"))
        #expect(page.contains("<footer>Written by Lubdub, free software under the Apache License 2.0.</footer>"))
    }

    @Test func `Each link of a cell has one target`() throws {
        let one = try Self.report([("a/x", .pass), ("a/y", .fail), ("b/x", .skip)])
        let other = try Self.report([("a/y", .fail), ("b/x", .pass), ("c", .error)], hasTimelines: true)
        let page = Self.page(("one", one), ("other", other))
        let targets = page.components(between: "href=\"#", and: "\"")
        #expect(targets.count == 5)  // the case that passed in `one` has no section
        for target in targets { #expect(page.count(of: "id=\"\(target)\"") == 1, "\(target)") }
        #expect(page.count(of: "<th scope=\"row\">") == 4)
        for name in ["one", "other"] { #expect(page.contains("<th scope=\"col\"><span class=\"name\">\(name)</span>")) }
        #expect(page.count(of: "not included") == 2)
        #expect(page.contains("id=\"differences\""))
    }

    @Test(arguments: ["1e17", "1.7e308", "-1.7e308"])
    func `A figure has room for any heart rate that a client prints`(rate: String) throws {
        let line = Node.object([("heart_rate", Node.object([("bpm", Node(.number(rate)))]))])
        let report = try Self.report([("a", .fail)], hasTimelines: true, printing: [line])
        #expect(Self.page(("x", report)).contains("class=\"shown\""))
    }

    @Test(
        arguments: [
            ([.pass, .pass, .skip], "All 2 cases pass"), ([.pass, .fail], "1 of 2 cases does not pass"),
            ([.error, .fail], "2 of 2 cases do not pass"), ([.skip], "No case has a verdict"),
            ([], "No case has a verdict"),
            ([.pass], "The case passes"),
        ] as [([Verdict], String)])
    func `The headline summarizes the verdicts`(verdicts: [Verdict], headline: String) throws {
        let report = try Self.report(verdicts.enumerated().map { ("\($0)", $1) })
        #expect(Self.page(("x", report)).contains("<h1>\(headline)</h1>"))
    }

    /// A page, a summary or JUnit that only says "1 pass" would hide that the run was interrupted.
    @Test func `Each format has the reason why cases are missing`() throws {
        let whole = try Self.report([("a", .pass)])
        var report = whole
        report.gaps = ["interrupted: 1 of <5> cases were run"]
        let page = Self.page(("x", report))
        #expect(page.contains("<h1>The case passes, and others are missing</h1>"))
        #expect(page.contains("<li>interrupted: 1 of &lt;5&gt; cases were run</li>"))
        #expect(
            Self.page(("x", report), ("y", whole)).contains("<li>x: interrupted: 1 of &lt;5&gt; cases were run</li>"))
        let summary = MarkdownReport.text(of: [ReportColumn("x", report)])
        #expect(summary.hasPrefix("### ❔ Lubdub: 1 pass"))
        #expect(summary.contains("\n\n* interrupted: 1 of &lt;5&gt; cases were run\n\n"))
        let both = MarkdownReport.text(of: [ReportColumn("x", report), ReportColumn("y", whole)])
        #expect(both.contains("\n* x: interrupted: 1 of &lt;5&gt; cases were run"))
        #expect(
            JUnitReport.text(of: report).contains(
                #"<property name="incomplete" value="interrupted: 1 of &lt;5&gt; cases were run"/>"#))
    }

    @Test func `A failure shows expectation, observation, time, trace and replay command`() throws {
        let page = Self.page(("x", try Self.report([("a", .fail)])))
        for part in [
            "<dt>seen</dt><dd>that</dd>", "<dt>at</dt><dd>12.000000 s</dd>", "HRP/COL/HRF/BV-04-C",
            "<span class=\"sent\">1.000000  -&gt; ATT Read Request</span>",
            "<span class=\"said\">2.0  client says &lt;b&gt;</span>", "<code tabindex=\"0\">lubdub run a</code>",
        ] {
            #expect(page.contains(part), "\(part)")
        }
    }

    @Test func `A figure places its spans and curves correctly`() throws {
        let page = Self.page(("x", try Self.report([("a", .fail)], hasTimelines: true)))
        #expect(
            page.contains(
                "<i class=\"advertising\" style=\"left:0%;width:25%\" title=\"advertising, 0.0 s to 10.0 s\">"))
        #expect(page.contains("<i class=\"away\" style=\"left:50%;width:12.50%\""))
        #expect(
            page.contains(
                "<i class=\"action\" style=\"left:50%;width:12.50%\" title=\"lost: link_loss, 20.0 s to 25.0 s\">"))
        #expect(page.contains("<i class=\"mark\" style=\"left:30%\"></i>"))
        #expect(page.contains("aria-label=\"Heart rates from 61 to 69 bpm\""))
        #expect(page.contains("<path class=\"sent\" d=\"M550 "))
        #expect(!page.contains("class=\"shown\""))
        #expect(page == Self.page(("x", try Self.report([("a", .fail)], hasTimelines: true))))
    }

    @Test(
        arguments: [
            (0, 40, 5, [0, 10, 20, 30, 40]), (55.5, 71, 4, [60, 65, 70]), (0, 65_535, 4, [0, 20_000, 40_000, 60_000]),
            (0, 0.003, 5, [0, 0.001, 0.002, 0.003]), (5, 5, 4, [5]), (0, .infinity, 4, [0]), (-3, 3, 4, [-2, 0, 2]),
        ] as [(Double, Double, Int, [Double])])
    func `An axis has few round numbers`(low: Double, high: Double, most: Int, marks: [Double]) {
        #expect(Scale(from: low, to: high, atMost: most).marks == marks)
    }

    @Test(
        arguments: [
            (.milliseconds(1250), "1.3 s"), (.seconds(599), "599.0 s"), (.seconds(630), "10.5 min"),
            (.seconds(36_000), "10.0 h"), (.seconds(86_400 * 31), "31.0 d"), (.zero, "0.0 s"),
        ] as [(Duration, String)])
    func `A duration is printed in a suitable unit`(duration: Duration, words: String) {
        #expect(duration.formatted == words)
    }

    // MARK: Markdown

    @Test func `Markdown has the numbers of each group and the reasons of failures`() throws {
        let report = try Self.report([("a/x", .pass), ("a/y", .fail), ("z", .skip)])
        let text = MarkdownReport.text(of: [ReportColumn("x", report)])
        #expect(text.hasPrefix("### ❌ Lubdub: 1 pass, 1 fail, 1 skip\n\n| group | pass | fail | skip |\n"))
        #expect(text.contains("\n| <code>a</code> | 1 | 1 | 0 |\n| <code>no folder</code> | 0 | 0 | 1 |\n"))
        #expect(
            text.contains("<details><summary>❌ fail: <code>a/y</code></summary>\n<pre>shows (HRP/COL/HRF/BV-04-C): "))
        #expect(text.contains("\n  1.000000  -&gt; ATT Read Request\n"))
        #expect(text.hasSuffix("\nreplay: lubdub run a</pre>\n</details>\n"))
        #expect(text.count(of: "<details>") == 1)
    }

    @Test func `Markdown escapes all text`() throws {
        let report = try Self.report([(Self.nasty, .fail)])
        let text = MarkdownReport.text(of: [ReportColumn(Self.nasty, report), ReportColumn("b", report)])
        #expect(!text.contains("<script"))
        #expect(!text.contains("</style"))
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("|") }
        #expect(rows.allSatisfy { $0.count { $0 == "|" } == 4 }, "\(rows)")
        #expect(rows.allSatisfy { !$0.contains("`") && !$0.contains("[") })
    }

    @Test func `A job summary stays small when many cases fail`() throws {
        let report = try Self.report((0..<500).map { ("\($0)", .fail) })
        let text = MarkdownReport.text(of: [ReportColumn("x", report)])
        #expect(text.count(of: "<details>") == MarkdownReport.maximumFaults)
        #expect(text.contains("and 450 more cases"))
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { components(between: part, and: "").count }

    /// The text after each `start`, up to the next `end`.
    fileprivate func components(between start: String, and end: String) -> [String] {
        var (found, rest) = ([String](), self[...])
        while let range = rest.firstRange(of: start) {
            rest = rest[range.upperBound...]
            found.append(String(end.isEmpty ? "" : rest.prefix { !end.contains($0) }))
        }
        return found
    }
}
