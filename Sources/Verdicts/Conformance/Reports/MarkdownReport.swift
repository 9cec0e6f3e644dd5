import Basics
import Expectations

/// Reports as Markdown (CommonMark with GitHub's tables), for the job summaries of CI systems.
package enum MarkdownReport {
    /// How many failures have details; GitHub limits a summary to 1 MiB.
    static let maximumFaults = 50

    package static func text(of columns: [ReportColumn]) -> String {
        let matrix = Matrix(columns)
        let parts = columns.count == 1 ? single(columns[0].report) : several(matrix)
        return (parts + faults(matrix)).joined(separator: "\n\n") + "\n"
    }

    private static func single(_ report: Report) -> [String] {
        let summary = report.summary
        let verdicts = Verdict.allCases.filter { summary[$0] > 0 || $0 == .pass || $0 == .fail }
        var rows = [["group"] + verdicts.map(\.rawValue)]
        rows += report.groups.map { group in
            [code(Report.title(ofGroup: group.name))] + verdicts.map { "\(group.tally[$0])" }
        }
        rows.append(["**all**"] + verdicts.map { "**\(summary[$0])**" })
        let campaign = report.campaign.map { "* \(escaped($0.line))" }.joined(separator: "\n")
        let gaps = list(report.gaps)
        let facts = report.facts.map { "* \(escaped($0.name)): \(escaped($0.value))" }.joined(separator: "\n")
        let seed = report.facts.isEmpty ? ", seed \(report.seed)" : ""
        return [
            "### \(sign(of: report)) Lubdub: \(summary.words(of: verdicts))", table(rows, numbers: true),
        ] + gaps + (campaign.isEmpty ? [] : [campaign]) + [
            "lubdub \(escaped(report.version))\(seed), \(report.duration.formatted) \(report.timeWords)"
        ] + (facts.isEmpty ? [] : [facts])
    }

    private static func several(_ matrix: Matrix) -> [String] {
        var rows = [["case"] + matrix.columns.map { escaped($0.name) }]
        rows += matrix.rows.map { row in
            [code(row.id)]
                + row.entries.map { $0.map { "\(sign(of: $0.outcome.verdict)) \($0.outcome.verdict)" } ?? "" }
        }
        rows.append(
            ["**pass**"] + matrix.columns.map { "**\($0.report.summary[.pass])** of \($0.report.summary.total)" })
        let counts = "\(matrix.rows.count.counted("case")) in \(matrix.columns.count.counted("report"))"
        let gaps = matrix.columns.flatMap { column in column.report.gaps.map { "\(column.name): \($0)" } }
        return ["### Lubdub: \(counts)", table(rows, numbers: false)] + list(gaps)
    }

    /// A list as a paragraph; none for an empty one.
    private static func list(_ lines: [String]) -> [String] {
        lines.isEmpty ? [] : [lines.map { "* \(escaped($0))" }.joined(separator: "\n")]
    }

    // MARK: Failures

    private static func faults(_ matrix: Matrix) -> [String] {
        let faults = matrix.rows.flatMap { row in
            row.entries.enumerated().compactMap { column, entry -> (Report.Entry, String?)? in
                guard let entry, entry.outcome.isFault else { return nil }
                return (entry, matrix.columns.count > 1 ? matrix.columns[column].name : nil)
            }
        }
        let left = faults.count - maximumFaults
        return faults.prefix(maximumFaults).map { details($0.0, in: $0.1) }
            + (left > 0 ? ["and \(left.counted("more case")), which the other report formats include"] : [])
    }

    private static func details(_ entry: Report.Entry, in report: String?) -> String {
        let outcome = entry.outcome
        let place = report.map { " in \(html($0))" } ?? ""
        // CommonMark parses nothing within `pre`: section 4.6.
        let lines = outcome.details + (outcome.replay.map { ["replay: \($0)"] } ?? [])
        return """
            <details><summary>\(sign(of: outcome.verdict)) \(outcome.verdict): <code>\(html(entry.id))</code>\(place)</summary>
            <pre>\(Markup.escaped(lines.joined(separator: "\n"), in: .text))</pre>
            </details>
            """
    }

    // MARK: Formatting

    private static func sign(of verdict: Verdict) -> String {
        switch verdict {
        case .pass: "✅"
        case .fail: "❌"
        case .inconclusive: "❔"
        case .skip: "➖"
        case .error: "⚠️"
        }
    }

    /// That of the worst verdict; cases that are missing have none.
    private static func sign(of report: Report) -> String {
        let (worst, tally) = ([Verdict.error, .fail, .inconclusive, .pass], report.accepted)
        let verdict = worst.first { tally[$0] > 0 || $0 == .inconclusive && !report.gaps.isEmpty }
        return sign(of: verdict ?? .skip)
    }

    private static func table(_ rows: [[String]], numbers: Bool) -> String {
        let rule = rows[0].indices.map { $0 > 0 && numbers ? "--:" : "---" }
        return ([rows[0], rule] + rows.dropFirst()).map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    private static func code(_ text: String) -> String { "<code>\(escaped(text))</code>" }

    private static func html(_ text: String) -> String { Markup.escaped(text, in: .attribute) }

    /// Escapes text: punctuation that could be Markdown becomes a character reference, which CommonMark treats as text
    /// (section 2.5).
    private static func escaped(_ text: String) -> String {
        Markup.escaped(text, in: .attribute).unicodeScalars.map { scalar in
            "|*_`[]\\~$@!".unicodeScalars.contains(scalar) ? "&#\(scalar.value);" : String(scalar)
        }.joined()
    }
}
