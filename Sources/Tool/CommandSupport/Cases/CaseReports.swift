package import Basics
package import Conformance
package import Expectations

/// The results of cases as JSON, one object per line, instead of text for people.
package enum CaseLines {
    package static let option = CommandGrammar.Option.flag(
        "--json",
        "Print a JSON object per line: one for each case as it ends, then one with the summary; with --list, one\n"
            + "for each case")

    package static func show(_ entry: Report.Entry) { Console.print("\(JSONReport.line(of: entry))") }

    package static func showSummary(_ report: Report) { Console.print("\(JSONReport.lastLine(of: report))") }
}

extension Verdict {
    /// How the terminal shows it.
    package var style: Paint.Style {
        switch self {
        case .pass: .success
        case .fail, .error: .failure
        case .inconclusive, .skip: .warning
        }
    }
}

/// Formats the results of cases for the terminal.
package struct CaseFormatter {
    private static let width = 12  // of the longest verdict

    package let paint: Paint
    package let isVirtual: Bool

    package init(paint: Paint, isVirtual: Bool) { (self.paint, self.isVirtual) = (paint, isVirtual) }

    /// A line for a finished case, followed by the reasons if it did not pass.
    package func lines(_ entry: Report.Entry) -> [TerminalLine] {
        let outcome = entry.outcome
        let verdict = outcome.verdict
        let label = verdict.rawValue.padded(to: Self.width)
        var lines: [TerminalLine] = [
            "\(paint(label, verdict.style))  \(entry.id)  \(outcome.duration.inTenths) s"
        ]
        let margin = String(repeating: " ", count: Self.width + 2)
        for fault in outcome.faults {
            lines += Self.lines(fault, paint, after: "\(margin)", indentedBy: Self.width + 4)
        }
        if verdict.isFault, let note = outcome.note { lines.append("\(margin)note: \(note)") }
        if verdict != .skip, verdict != .pass, let replay = outcome.replay {
            lines.append("\(margin)replay: \(replay)")
        }
        return lines
    }

    /// A verdict: `head` and its title, then, indented by `margin` columns, what was expected and observed, when, and the trace.
    package static func lines(
        _ finding: CaseFinding, _ paint: Paint, after head: TerminalLine, indentedBy margin: Int
    ) -> [TerminalLine] {
        let (title, rows) = finding.lines
        let instant = finding.verdict == .fail ? finding.instant : nil
        let details = rows + (instant.map { [("at", "\($0) s")] } ?? [])
        return ["\(head)\(title)"] + details.map { row($0, "\($1)", indentedBy: margin) }
            + trace(finding.trace, paint, indentedBy: margin, label: finding.verdict == .error ? "" : "trace")
    }

    /// The trace around a failure, indented by `margin` columns.
    package static func trace(
        _ lines: [String], _ paint: Paint, indentedBy margin: Int, label: String = "trace"
    ) -> [TerminalLine] {
        zip([label] + Array(repeating: "", count: lines.count), lines).map { label, line in
            row(label, paint(line, .packet), indentedBy: margin)
        }
    }

    /// A line with a label.
    package static func row(_ label: String, _ text: TerminalLine, indentedBy margin: Int = 6) -> TerminalLine {
        "\(String(repeating: " ", count: margin))\(label.padded(to: 10))\(text)"
    }

    /// A row for each group if there are several, then a summary.
    package func summary(_ report: Report) -> [TerminalLine] {
        let (groups, verdicts) = (report.groups, Verdict.allCases)
        let names = groups.map { Report.title(ofGroup: $0.name) }
        let width = names.map(\.count).max() ?? 0
        var lines: [TerminalLine] = []
        if groups.count > 1 {
            let head = verdicts.map { "  " + $0.rawValue }.joined()
            lines.append(paint(String(repeating: " ", count: width) + head, .state))
            lines += zip(names, groups).map { name, group in
                let counts = verdicts.map { verdict in
                    let count = "\(group.tally[verdict])"
                    return String(repeating: " ", count: verdict.rawValue.count + 2 - count.count) + count
                }
                return "\(name.padded(to: width))\(counts.joined())"
            }
        }
        let time = report.time ?? (isVirtual ? .virtual : nil)
        lines += report.campaign.map { "\($0.line)" }
        return lines + [
            "\(report.summary.words()) in \(report.duration.inTenths) s\(time?.ending ?? "")"
        ]
    }
}

// The options for reports.
extension ReportFiles {
    package static let option = CommandGrammar.Option.option(
        "--report", "FILE", of: .file(.written), repeatable: true,
        "Write a report: FILE.xml (JUnit), FILE.json, FILE.html (a page) or FILE.md (for CI)")

    /// Opens the files of `--report`; with `--keep`, also a report of each format in that folder.
    package init(_ invocation: Invocation) throws(Obstacle) {
        try self.init(invocation.texts("--report"), option: "--report", in: invocation.text("--keep"))
    }
}
