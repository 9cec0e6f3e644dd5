import Basics
import Documents
import Expectations

/// A report as JSON, one case per line.
package enum JSONReport {
    package static func text(of report: Report) -> String {
        let cases = report.cases.map { row($0, withStart: true) }.joined(separator: ",\n  ")
        let seed = report.facts.isEmpty ? "\"seed\": \(report.seed), " : ""
        let shard = report.shard.map { "\"shard\": \("\($0)".quoted), " } ?? ""
        let gaps = report.gaps.isEmpty ? "" : "\(self.gaps(of: report)), "
        let time = report.timeMembers.map { "\($0.quoted): \($1.quoted), " }.joined()
        return """
            {"lubdub": \(report.version.quoted), \(seed)\(shard)\(time)\(gaps)\(about(report))"cases": [\(cases.isEmpty ? "" : "\n  ")\(cases)],
             "summary": {\(counts(report))}}

            """
    }

    /// A case on one line, as ``lineSchema`` describes it.  It has no start, since cases need not end in order.
    package static func line(of entry: Report.Entry) -> String { row(entry, withStart: false) }

    /// The last line, after those of the cases.
    package static func lastLine(of report: Report) -> String {
        let time = report.timeMembers.map { ", \($0.quoted): \($1.quoted)" }.joined()
        return "{\"summary\": {\(counts(report))}\(time)\(report.gaps.isEmpty ? "" : ", \(gaps(of: report))")}"
    }

    private static func gaps(of report: Report) -> String {
        "\"incomplete\": [\(report.gaps.map(\.quoted).joined(separator: ", "))]"
    }

    private static func counts(_ report: Report) -> String {
        Verdict.allCases.map { "\($0.rawValue.quoted): \(report.summary[$0])" }.joined(separator: ", ")
    }

    private static func about(_ report: Report) -> String {
        let facts = report.facts.map { "{\"name\": \($0.name.quoted), \"value\": \($0.value.quoted)}" }
        let lists = [("facts", facts), ("attributes", report.attributes.map(\.quoted))].filter { !$0.1.isEmpty }
        return lists.map { "\($0.0.quoted): [\($0.1.joined(separator: ", "))],\n " }.joined()
    }

    private static func row(_ entry: Report.Entry, withStart: Bool) -> String {
        let outcome = entry.outcome
        let members =
            [
                ("id", entry.id.quoted), ("title", outcome.title.quoted), ("case", entry.caseID.quoted),
                ("seed", entry.seed.map { "\($0)" } ?? "null"), ("run", entry.run?.number.map { "\($0)" } ?? "null"),
                ("verdict", outcome.verdict.rawValue.quoted),
                ("requirement", line(outcome.requirements, by: ", ")), ("reason", line(outcome.account, by: "\n")),
                ("replay", outcome.replay?.quoted ?? "null"),
            ] + (withStart ? [("start", "\(entry.start)")] : []) + [
                ("duration", "\(Instant.start.advanced(by: outcome.duration))"),
                ("note", outcome.note?.quoted ?? "null"),
                ("findings", "[\(outcome.faults.map(text(of:)).joined(separator: ", "))]"),
                ("stderr", line(outcome.clientErrors, by: "\n")),
            ] + (outcome.isKnown ? [("known", "true")] : [])
        return jsonObject(members)
    }

    private static func text(of finding: CaseFinding) -> String {
        let packets = finding.trace.map(\.quoted).joined(separator: ", ")
        let causes = (finding.why?.kinds ?? []).map(\.rawValue.quoted).joined(separator: ", ")
        let members = [
            ("id", finding.id?.quoted), ("requirement", finding.requirement?.quoted),
            ("verdict", finding.verdict.rawValue.quoted), ("expected", finding.why?.expected?.quoted),
            ("seen", finding.why?.seen.quoted), ("at", finding.instant.map { "\($0)" }),
            ("cause", finding.why?.cause?.quoted), ("causes", "[\(causes)]"), ("packets", "[\(packets)]"),
        ]
        return jsonObject(members.map { ($0.0, $0.1 ?? "null") })
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
                "seed", .integer(0...Int.max),
                "The seed of the command line, else that of all cases; 1 if they differ; missing for a real peripheral."
            ),
            .init("shard", .form(shard), "Which part of the suite was run, as I/N; missing if all of it was."),
            time, compute, incomplete,
            .init(
                "facts",
                .list(
                    .object([
                        .init("name", .text, required: true, "Such as peer, date or manufacturer_name_string."),
                        .init("value", .text, required: true, "What it is."),
                    ])),
                "What identifies a real peripheral and the run."),
            .init(
                "attributes", .list(.text),
                "The attributes of a real peripheral, by handle: 0x0003  device_name: Read, Write."),
            .init("cases", .list(.definition("case")), required: true, "In the suite's order."),
            .init("summary", .object(counts), required: true, "The number of cases per verdict."),
        ]),
        definitions: [("case", .object(fields)), ("finding", .object(findingFields))], everywhere: [])

    /// The JSON Schema of the lines of `run --json` and `check --json`.
    package static var lineSchema: String {
        let summary = Shape.Field(
            "summary", .object(counts), required: true, "The number of cases per verdict, on the last line.")
        let lines = Grammar(
            root: .any([.object(fields.filter { $0.key != "start" }), .object([summary, time, compute, incomplete])]),
            definitions: [("finding", .object(findingFields))], everywhere: [])
        return lines.schema(title: "A line of lubdub run --json and lubdub check --json")
    }

    private static let time = Shape.Field(
        "time", .text,
        "\"virtual\" if the client was a program that followed virtual time; with --speed auto, also \"real\" if it did not, "
            + "and \"mixed\" if it did in some cases; missing in all other reports.")
    private static let compute = Shape.Field(
        "compute", .text, "How much virtual time each turn of the client took; missing without --compute.")

    private static let incomplete = Shape.Field(
        "incomplete", .list(.text),
        "Why selected cases are missing, a line each: interrupted: 4 of 5 cases were run; missing if all were run.")

    private static let fields: [Shape.Field] = [
        .init(
            "id", .text, required: true,
            "Unique: a path without .json, or the id in the suite; in a campaign with the seed and the number of the run: resting@17#2."
        ),
        .init("title", .text, required: true, "The scenario's name."),
        .init("case", .text, "The id without the seed and the number of a run."),
        .init("seed", .any([.integer(0...Int.max), .null]), "The seed; null if the case was not played."),
        .init("run", .any([.integer(1...Int.max), .null]), "The number of the run, if cases were repeated."),
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
        .init("note", orNull, "The scenario's note, if the case failed or is inconclusive."),
        .init(
            "findings", .list(.definition("finding")), "The expectations that did not pass, in the scenario's order."),
        .init("stderr", orNull, "The last lines that the client wrote to its standard error."),
        .init("known", .boolean, "True for a fail that --baseline accepts, so that it does not fail the run."),
    ]

    private static let findingFields: [Shape.Field] = [
        .init("id", orNull, required: true, "The expectation's id; null for the case as a whole."),
        .init("requirement", orNull, required: true, "The test case or section that requires it."),
        .init("verdict", .name(Verdict.allCases.map(\.rawValue)), required: true, "Its verdict."),
        .init("expected", orNull, required: true, "What was expected, and when."),
        .init("seen", orNull, required: true, "What was observed instead, or the reason, and when."),
        .init("at", .any([seconds, .null]), required: true, "When it was decided, in seconds."),
        .init("cause", orNull, required: true, "What explains it, as far as Lubdub knows."),
        .init("causes", .list(.text), "The kinds of what explains it, as in Documentation/causes.md."),
        .init(
            "packets", .list(.text), required: true,
            "The packets and the client's lines around that instant, and those that carry what the verdict is about."),
    ]

    private static let counts = Verdict.allCases.map { verdict in
        Shape.Field(verdict.rawValue, .integer(0...Int.max), required: true, "The number of cases with this verdict.")
    }

    private static let shard = Shape.Form("a part such as \"2/4\"", pattern: "^[0-9]+/[0-9]+$") {
        Selection.Shard($0) != nil
    }
    private static let orNull = Shape.any([.text, .null])
    private static let seconds = Shape.number(0...Double.greatestFiniteMagnitude)
}
