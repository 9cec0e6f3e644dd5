package import Basics
package import Checks
package import Conformance
import Expectations

/// Prints outcomes of checks: a line for each as it ends, then a summary, the skipped ones by their reasons, and at the
/// end all that did not pass, with the details.
package struct CheckPrinter {
    private let paint: Paint
    private let isQuiet: Bool
    private let isVerbose: Bool
    /// Whether it prints JSON for programs.
    private let isJSON: Bool
    private var skipped: [(id: String, reason: String)] = []
    private var faults: [TerminalLine] = []

    package init(_ invocation: Invocation) throws(Obstacle) {
        (isQuiet, isVerbose) = (invocation.has("--quiet"), invocation.has("--verbose"))
        isJSON = invocation.has("--json")
        paint = try Paint(invocation, for: Console.descriptor)
    }

    /// `reported` is the outcome as a case of a report.
    package mutating func show(
        _ outcome: Check.Outcome, as reported: Outcome, isKnown: Bool, replay: String, trace packets: [String]
    ) {
        if isJSON { return CaseLines.show(Report.Entry(id: outcome.check.id, outcome: reported)) }
        let title = title(outcome, isKnown: isKnown)
        let headline: TerminalLine = outcome.reason.map { "\(title): \($0)" } ?? title
        switch outcome.verdict {
        case .pass: if !isQuiet { Console.print(headline) }
        case .skip:
            if isVerbose, !isQuiet { return Console.print(headline) }
            skipped.append((outcome.check.id, outcome.reason ?? ""))
        case .fail, .inconclusive, .error:
            if !isQuiet { Console.print(title) }
            guard !isKnown else { return }
            if !faults.isEmpty { faults.append("") }
            faults += [headline] + details(outcome, replay: replay, trace: packets)
        }
    }

    /// Prints the summary, which `facts` follow, and what did not pass.
    package func end(_ report: Report, facts: [String] = []) {
        if isJSON { return CaseLines.showSummary(report) }
        if !isQuiet, report.summary.total > 0 { Console.print("") }
        for line in [report.summary.words()] + facts { Console.print("\(line)") }
        if !isQuiet, !skipped.isEmpty {
            let word = report.summary.total == skipped.count ? "all skipped" : "skipped"
            Console.print("\(paint("\(word), one by one with --verbose:", .quiet))")
            for line in Self.folded(skipped) { Console.print("\(paint("  \(line)", .quiet))") }
        }
        guard !faults.isEmpty else { return }
        if !isQuiet { Console.print("") }
        for line in faults { Console.print(line) }
    }

    /// A line for each reason that several skipped checks share, the most frequent first, and one for the other checks of each group.
    static func folded(_ skipped: [(id: String, reason: String)]) -> [String] {
        let prefix = "not applicable: "
        let reasons = skipped.map {
            $0.reason.hasPrefix(prefix) ? String($0.reason.dropFirst(prefix.count)) : $0.reason
        }
        let counts = Dictionary(reasons.map { ($0, 1) }, uniquingKeysWith: +)
        let shared = counts.filter { $0.value > 1 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let lone = zip(skipped, reasons).filter { counts[$0.1] == 1 }
        let others = Dictionary(grouping: lone) { $0.0.id.split(separator: "/").first ?? "" }.sorted { $0.key < $1.key }
        let rows =
            shared.map { ($0.value, $0.key) }
            + others.map { group, checks in
                (
                    checks.count,
                    checks.count == 1 ? "\(checks[0].0.id): \(checks[0].1)" : "\(group)/*: different reasons"
                )
            }
        let width = rows.map { "\($0.0)".count }.max() ?? 0
        return rows.map { String(repeating: " ", count: width - "\($0.0)".count) + "\($0.0)  \($0.1)" }
    }

    private func title(_ outcome: Check.Outcome, isKnown: Bool) -> TerminalLine {
        let verdict = outcome.verdict
        let style = verdict == .skip || isKnown ? .quiet : verdict.style
        let label = verdict == .inconclusive ? verdict.rawValue : verdict.rawValue.padded(to: 4)
        var line: TerminalLine = "\(paint(label, style))  \(outcome.check.id)  \(outcome.check.title)"
        if isKnown { line += " (known)" }
        return line
    }

    private func details(_ outcome: Check.Outcome, replay: String, trace packets: [String]) -> [TerminalLine] {
        var lines: [TerminalLine] = []
        if let finding = outcome.finding {
            lines.append(CaseFormatter.row("expected", "\(finding.expected)"))
            lines.append(CaseFormatter.row("observed", "\(finding.seen)"))
            lines.append(CaseFormatter.row("at", "\(finding.instant) s"))
        }
        lines.append(CaseFormatter.row("requires", "\(outcome.check.requirement)"))
        lines += CaseFormatter.trace(packets, paint, indentedBy: 6)
        lines.append("      replay: \(replay)")
        return lines
    }
}
