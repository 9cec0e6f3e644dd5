public import Conformance
import Documents
import Expectations
import Simulation
import Spelling

/// A report as JSON, for programs: a case a line.
public enum JSONReport {
    /// The text of the file.
    public static func text(of report: Report) -> String {
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
    public static var schema: String { grammar.schema(title: "Lubdub report") }

    static let grammar = Grammar(
        root: .object([
            .init("lubdub", .text, required: true, "The version of the program."),
            .init(
                "seed", .integer(0...Int.max), required: true,
                "The seed of the command line, or that of all cases; 1 where they have seeds of their own."),
            .init("cases", .list(.definition("case")), required: true, "In the suite's order."),
            .init("summary", .object(counts), required: true, "How many cases ended how."),
        ]),
        definitions: [("case", .object(fields))], everywhere: [])

    private static let fields: [Shape.Field] = [
        .init("id", .text, required: true, "Unlike all others: a path without .json, or what the suite says."),
        .init("title", .text, required: true, "The scenario's name."),
        .init("verdict", .name(Verdict.allCases.map(\.rawValue)), required: true, "The worst of what was found."),
        .init(
            "requirement", orNull, required: true,
            "The test cases and sections that decided it, with \", \" between them."),
        .init(
            "reason", orNull, required: true,
            "Why it did not pass: a line for each thing that did not, and two spaces further in the trace around it."),
        .init("replay", orNull, required: true, "The command line that plays it again."),
        .init(
            "start", seconds, required: true,
            "In seconds; in virtual time the cases are played one after the other, the first at 0."),
        .init("duration", seconds, required: true, "In seconds."),
    ]

    private static let counts = Verdict.allCases.map { verdict in
        Shape.Field(verdict.rawValue, .integer(0...Int.max), required: true, "How many cases have this verdict.")
    }

    private static let orNull = Shape.any([.text, .null])
    private static let seconds = Shape.number(0...Double.greatestFiniteMagnitude)
}
