package import Conformance
package import Documents
import Expectations
import Simulation
import TextFormatting

/// A report as JSON, one case per line.
package enum JSONReport {
    package static func text(of report: Report) -> String {
        let cases = report.cases.map(row).joined(separator: ",\n  ")
        let counts = Verdict.allCases.map { "\($0.rawValue.quoted): \(report.summary[$0])" }.joined(separator: ", ")
        return """
            {"lubdub": \(report.version.quoted), "seed": \(report.seed), "cases": [\(cases.isEmpty ? "" : "\n  ")\(cases)],
             "summary": {\(counts)}}

            """
    }

    private static func row(_ entry: Report.Entry) -> String {
        let outcome = entry.outcome
        let members = [
            ("id", entry.id.quoted), ("title", outcome.title.quoted), ("verdict", outcome.verdict.rawValue.quoted),
            ("requirement", line(outcome.requirements, by: ", ")), ("reason", line(outcome.account, by: "\n")),
            ("replay", outcome.replay?.quoted ?? "null"), ("start", "\(entry.start)"),
            ("duration", "\(Instant.start.advanced(by: outcome.duration))"),
        ]
        return "{" + members.map { "\($0.0.quoted): \($0.1)" }.joined(separator: ", ") + "}"
    }

    private static func line(_ words: [String], by separator: String) -> String {
        words.isEmpty ? "null" : words.joined(separator: separator).quoted
    }

    /// The JSON Schema of reports, draft 2020-12.
    package static var schema: String { grammar.schema(title: "Lubdub report") }

    static let grammar = Grammar(
        root: .object([
            .init("lubdub", .text, required: true, "Lubdub's version."),
            .init(
                "seed", .integer(0...Int.max), required: true,
                "The seed of the command line, else that of all cases; 1 if they differ."),
            .init("cases", .list(.definition("case")), required: true, "In the suite's order."),
            .init("summary", .object(counts), required: true, "The number of cases per verdict."),
        ]),
        definitions: [("case", .object(fields))], everywhere: [])

    private static let fields: [Shape.Field] = [
        .init("id", .text, required: true, "Unique: a path without .json, or the id in the suite."),
        .init("title", .text, required: true, "The scenario's name."),
        .init(
            "verdict", .name(Verdict.allCases.map(\.rawValue)), required: true, "The worst verdict of the expectations."
        ),
        .init(
            "requirement", orNull, required: true,
            "The test cases and sections that decided the verdict, separated by \", \"."),
        .init(
            "reason", orNull, required: true,
            "Why the case did not pass: one line per expectation, each followed by its packet trace, indented by two spaces."
        ),
        .init("replay", orNull, required: true, "The command line that repeats the case."),
        .init(
            "start", seconds, required: true,
            "In seconds, as if the cases had run one after another, the first at 0."),
        .init("duration", seconds, required: true, "In seconds."),
    ]

    private static let counts = Verdict.allCases.map { verdict in
        Shape.Field(verdict.rawValue, .integer(0...Int.max), required: true, "The number of cases with this verdict.")
    }

    private static let orNull = Shape.any([.text, .null])
    private static let seconds = Shape.number(0...Double.greatestFiniteMagnitude)
}

extension JSONReport {
    static let maximumCases = 100_000

    /// The report in a file, or all problems of the file.
    ///
    /// The findings of a case are read from the lines of its `reason`, without the ids of their expectations.
    package static func read(
        _ octets: some Collection<UInt8>, file: String
    ) -> (report: Report?, problems: [Problem]) {
        let log = ProblemLog()
        do throws(Problem) {
            let document = Cursor(try Node(json: octets, file: file, log: log), file: file, log: log)
            grammar.check(document)
            guard log.problems.isEmpty else { return (nil, log.problems) }
            let report = report(document)
            return (log.problems.isEmpty ? report : nil, log.problems)
        } catch { return (nil, log.problems + [error]) }
    }

    private static func report(_ document: Cursor) -> Report {
        let seed = document["seed"]?.integer.map(UInt64.init)
        var report = Report(version: document["lubdub"]?.string ?? "", seed: seed)
        var ids: Set<String> = []
        guard let cases = document["cases"] else { return report }
        guard cases.items.count <= maximumCases else {
            cases.note(.tooLarge, "the report has more than \(maximumCases) cases")
            return report
        }
        cases.eachItem { item in
            let id = item["id"]?.string ?? ""
            if id.isEmpty { item["id"]?.note(.outOfRange, "the id of a case must not be empty") }
            if !ids.insert(id).inserted {
                item["id"]?.note(.duplicateID, "another case has the id \(id.abbreviated.quoted)")
            }
            report.add(id, outcome(item))
        }
        if let summary = document["summary"], ids.count == cases.items.count { check(summary, of: report) }
        return report
    }

    private static func check(_ summary: Cursor, of report: Report) {
        for verdict in Verdict.allCases where summary[verdict.rawValue]?.integer != report.summary[verdict] {
            summary[verdict.rawValue]?.note(
                .outOfRange, "expected \(report.summary[verdict]), the number of cases with this verdict")
        }
    }

    private static func outcome(_ item: Cursor) -> Outcome {
        let verdict = item["verdict"]?.string.flatMap(Verdict.init) ?? .error
        // An `Instant` ends after 292 years.
        let seconds = min(item["duration"]?.number ?? 0, 9e9)
        var outcome = Outcome(
            verdict, title: item["title"]?.string ?? "", replay: item["replay"]?.string, duration: .seconds(seconds))
        outcome.requirements = [item["requirement"]?.string].compactMap { $0 }
        for line in (item["reason"]?.string ?? "").split(separator: "\n", omittingEmptySubsequences: true) {
            if line.hasPrefix("  "), !outcome.findings.isEmpty {
                outcome.findings[outcome.findings.count - 1].trace.append(String(line.dropFirst(2)))
            } else {
                outcome.findings.append(CaseFinding(id: nil, verdict: verdict, reason: String(line)))
            }
        }
        return outcome
    }
}
