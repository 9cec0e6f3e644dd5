package import CommandSupport
package import Conformance
import Expectations
import Simulation
import TextFormatting

/// Formats the results of cases for the terminal.
package struct CaseFormatter {
    private static let width = 12  // of the longest verdict

    package let paint: Paint
    package let isVirtual: Bool

    package init(paint: Paint, isVirtual: Bool) { (self.paint, self.isVirtual) = (paint, isVirtual) }

    /// A line for a finished case, followed by the reasons if it did not pass.
    package func lines(_ entry: Report.Entry) -> [String] {
        let outcome = entry.outcome
        let verdict = outcome.verdict
        let label = verdict.rawValue.padded(to: Self.width)
        var lines = ["\(paint(label, verdict == .pass ? .state : .warning))  \(entry.id)  \(seconds(outcome.duration))"]
        let margin = String(repeating: " ", count: Self.width + 2)
        for fault in outcome.faults {
            lines.append(margin + fault.line)
            lines += Self.trace(fault.trace, paint, indentedBy: Self.width + 2)
        }
        if verdict != .skip, verdict != .pass, let replay = outcome.replay {
            lines.append("\(margin)replay: \(replay)")
        }
        return lines
    }

    /// The trace around a failure, indented by `margin` columns and a label of `width` columns.
    package static func trace(
        _ lines: [String], _ paint: Paint, indentedBy margin: Int, label width: Int = 7
    ) -> [String] {
        zip(["trace"] + Array(repeating: "", count: lines.count), lines).map { label, line in
            String(repeating: " ", count: margin) + label.padded(to: width) + paint(line, .packet)
        }
    }

    /// A row for each group if there are several, then a summary.
    package func summary(_ report: Report) -> [String] {
        let (groups, verdicts) = (report.groups, Verdict.allCases)
        let width = groups.map(\.name.count).max() ?? 0
        var lines: [String] = []
        if groups.count > 1 {
            let head = verdicts.map { "  " + $0.rawValue }.joined()
            lines.append(paint(String(repeating: " ", count: width) + head, .state))
            lines += groups.map { group in
                group.name.padded(to: width)
                    + verdicts.map { verdict in
                        let count = "\(group.tally[verdict])"
                        return String(repeating: " ", count: verdict.rawValue.count + 2 - count.count) + count
                    }.joined()
            }
        }
        return lines + [
            "\(report.summary.words()) in \(seconds(report.duration))" + (isVirtual ? " of virtual time" : "")
        ]
    }

    private func seconds(_ duration: Duration) -> String {
        "\(decimal(Double(duration.inNanoseconds) / 1e9, 1)) s"
    }
}
