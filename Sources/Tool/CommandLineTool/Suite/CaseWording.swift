import Conformance
import Expectations
import Simulation
import Spelling

/// What came of cases, for people.
struct CaseFormatter {
    private static let width = 12  // of the longest verdict

    let paint: Paint
    let isVirtual: Bool

    /// A line for a case that has ended, and why it did not pass, in full.
    func lines(_ entry: Report.Entry) -> [String] {
        let outcome = entry.outcome
        let verdict = outcome.verdict
        let label = verdict.rawValue.filled(to: Self.width)
        var lines = ["\(paint(label, verdict == .pass ? .state : .warning))  \(entry.id)  \(seconds(outcome.duration))"]
        let margin = String(repeating: " ", count: Self.width + 2)
        for fault in outcome.faults {
            lines.append(margin + fault.line)
            lines += Self.trace(fault.trace, paint, behind: Self.width + 2)
        }
        if verdict != .skip, verdict != .pass, let replay = outcome.replay {
            lines.append("\(margin)replay: \(replay)")
        }
        return lines
    }

    /// The lines of the trace around a fault, so many columns from the left; their label takes so many more.
    static func trace(_ lines: [String], _ paint: Paint, behind margin: Int, label width: Int = 7) -> [String] {
        zip(["trace"] + Array(repeating: "", count: lines.count), lines).map { label, line in
            String(repeating: " ", count: margin) + label.filled(to: width) + paint(line, .packet)
        }
    }

    /// A row for each group, where there are several, and a line for all of them.
    func summary(_ report: Report) -> [String] {
        let (groups, verdicts) = (report.groups, Verdict.allCases)
        let width = groups.map(\.name.count).max() ?? 0
        var lines: [String] = []
        if groups.count > 1 {
            let head = verdicts.map { "  " + $0.rawValue }.joined()
            lines.append(paint(String(repeating: " ", count: width) + head, .state))
            lines += groups.map { group in
                group.name.filled(to: width)
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
