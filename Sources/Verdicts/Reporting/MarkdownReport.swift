import Conformance
import Expectations
import Spelling

/// Reports as Markdown (CommonMark with GitHub's tables), for the pages that CIs show of a job.
public enum MarkdownReport {
    /// Of so many cases it is told why they did not pass; such pages take a megabyte.
    static let mostFaults = 50

    /// The text of the file; there is one report at least.
    public static func text(of columns: [ReportColumn]) -> String {
        let matrix = Matrix(columns)
        let parts = columns.count == 1 ? single(columns[0].report) : several(matrix)
        return (parts + faults(matrix)).joined(separator: "\n\n") + "\n"
    }

    private static func single(_ report: Report) -> [String] {
        let summary = report.summary
        let verdicts = Verdict.allCases.filter { summary[$0] > 0 || $0 == .pass || $0 == .fail }
        var rows = [["group"] + verdicts.map(\.rawValue)]
        rows += report.groups.map { group in
            [code(group.name == "." ? "in no folder" : group.name)] + verdicts.map { "\(group.tally[$0])" }
        }
        rows.append(["**all**"] + verdicts.map { "**\(summary[$0])**" })
        return [
            "### \(sign(of: summary)) Lubdub: \(summary.words(of: verdicts))", table(rows, numbers: true),
            "lubdub \(escaped(report.version)), seed \(report.seed), \(report.duration.spelled) of the cases' own time",
        ]
    }

    private static func several(_ matrix: Matrix) -> [String] {
        var rows = [["case"] + matrix.columns.map { escaped($0.name) }]
        rows += matrix.rows.map { row in
            [code(row.id)]
                + row.entries.map { $0.map { "\(sign(of: $0.outcome.verdict)) \($0.outcome.verdict)" } ?? "" }
        }
        rows.append(
            ["**pass**"] + matrix.columns.map { "**\($0.report.summary[.pass])** of \($0.report.summary.total)" })
        let counts = "\(matrix.rows.count.counted("case")) in \(matrix.columns.count) reports"
        return ["### Lubdub: \(counts)", table(rows, numbers: false)]
    }

    // MARK: Why not

    private static func faults(_ matrix: Matrix) -> [String] {
        let faults = matrix.rows.flatMap { row in
            row.entries.enumerated().compactMap { column, entry -> (Report.Entry, String?)? in
                guard let entry, [.fail, .inconclusive, .error].contains(entry.outcome.verdict) else { return nil }
                return (entry, matrix.columns.count > 1 ? matrix.columns[column].name : nil)
            }
        }
        let left = faults.count - mostFaults
        return faults.prefix(mostFaults).map { details($0.0, in: $0.1) }
            + (left > 0 ? ["and \(left.counted("case")) more, in the other reports of this run"] : [])
    }

    private static func details(_ entry: Report.Entry, in report: String?) -> String {
        let outcome = entry.outcome
        let place = report.map { " in \(html($0))" } ?? ""
        // Within `pre` CommonMark looks for nothing but its end: section 4.6.
        let lines = outcome.account + (outcome.replay.map { ["replay: \($0)"] } ?? [])
        return """
            <details><summary>\(sign(of: outcome.verdict)) \(outcome.verdict): <code>\(html(entry.id))</code>\(place)</summary>
            <pre>\(Markup.escaped(lines.joined(separator: "\n"), in: .text))</pre>
            </details>
            """
    }

    // MARK: Words

    private static func sign(of verdict: Verdict) -> String {
        switch verdict {
        case .pass: "✅"
        case .fail: "❌"
        case .inconclusive: "❔"
        case .skip: "➖"
        case .error: "⚠️"
        }
    }

    private static func sign(of tally: Report.Tally) -> String {
        let worst: [Verdict] = [.error, .fail, .inconclusive, .pass]
        return sign(of: worst.first { tally[$0] > 0 } ?? .skip)
    }

    private static func table(_ rows: [[String]], numbers: Bool) -> String {
        let rule = rows[0].indices.map { $0 > 0 && numbers ? "--:" : "---" }
        return ([rows[0], rule] + rows.dropFirst()).map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    private static func code(_ text: String) -> String { "<code>\(escaped(text))</code>" }

    private static func html(_ text: String) -> String { Markup.escaped(text, in: .attribute) }

    /// So that nothing in it is markup, of tables and links neither: punctuation that could be is a reference to itself, which
    /// CommonMark takes for text (section 2.5).
    private static func escaped(_ text: String) -> String {
        Markup.escaped(text, in: .attribute).unicodeScalars.map { scalar in
            "|*_`[]\\~$@!".unicodeScalars.contains(scalar) ? "&#\(scalar.value);" : String(scalar)
        }.joined()
    }
}
