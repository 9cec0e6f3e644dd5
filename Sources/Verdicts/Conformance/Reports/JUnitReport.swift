import Basics
import Expectations

/// A report as JUnit XML, in the form that Jenkins and other CI systems accept (junit-10.xsd of Jenkins' xUnit plugin).
///
/// A group is a `testsuite`.  JUnit has nothing closer than a `failure` for an inconclusive case, and than `skipped` for a
/// known fail.
package enum JUnitReport {
    package static func text(of report: Report) -> String {
        let (all, known) = (report.summary, report.cases.count { $0.outcome.isKnown })
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            "<testsuites\(attributes([("name", "lubdub")] + counts(all, report.duration, known: known)))>",
        ]
        for group in report.groups {
            let name = group.name ?? "lubdub"
            let known = group.cases.count { $0.outcome.isKnown }
            let skipped = [("skipped", "\(group.tally[.skip] + known)")]
            let counts = counts(group.tally, group.duration, known: known)
            lines.append("  <testsuite\(attributes([("name", name)] + counts + skipped))>")
            lines.append("    <properties>")
            for property in properties(of: report) {
                lines.append("      <property\(attributes([("name", property.0), ("value", property.1)]))/>")
            }
            lines.append("    </properties>")
            for entry in group.cases { lines += rows(entry, class: group.name.map { "lubdub.\($0)" } ?? name) }
            lines.append("  </testsuite>")
        }
        return (lines + ["</testsuites>", ""]).joined(separator: "\n")
    }

    /// A real peripheral has no seed.
    private static func properties(of report: Report) -> [(String, String)] {
        let facts = report.facts.map { ($0.name, $0.value) }
        return [("version", report.version)] + (facts.isEmpty ? [("seed", "\(report.seed)")] : facts)
            + report.timeMembers + report.gaps.map { ("incomplete", $0) }
    }

    private static func counts(_ tally: Report.Tally, _ duration: Duration, known: Int) -> [(String, String)] {
        [
            ("tests", "\(tally.total)"), ("failures", "\(tally[.fail] - known + tally[.inconclusive])"),
            ("errors", "\(tally[.error])"), ("time", seconds(duration)),
        ]
    }

    private static func rows(_ entry: Report.Entry, class name: String) -> [String] {
        let outcome = entry.outcome
        let open =
            "    <testcase"
            + attributes([("name", entry.id), ("classname", name), ("time", seconds(outcome.duration))])
        let errors =
            outcome.clientErrors.isEmpty
            ? []
            : [
                "      <system-err>\(Markup.escaped(outcome.clientErrors.joined(separator: "\n"), in: .text))</system-err>"
            ]
        let element: String
        switch outcome.verdict {
        case .pass: return errors.isEmpty ? ["\(open)/>"] : ["\(open)>"] + errors + ["    </testcase>"]
        case .fail where outcome.isKnown, .skip: element = "skipped"
        case .fail, .inconclusive: element = "failure"
        case .error: element = "error"
        }
        let message = outcome.reasons.first ?? outcome.verdict.rawValue
        var text = [outcome.title] + outcome.details
        if !outcome.requirements.isEmpty {
            text.append("requirement: " + outcome.requirements.joined(separator: ", "))
        }
        if let replay = outcome.replay { text.append("replay: \(replay)") }
        return [
            "\(open)>",
            "      <\(element)\(attributes([("type", outcome.isKnown ? "known fail" : outcome.verdict.rawValue), ("message", message)]))>"
                + "\(Markup.escaped(text.joined(separator: "\n"), in: .text))</\(element)>",
        ] + errors + ["    </testcase>"]
    }

    /// Three decimals, as older schemas require.
    private static func seconds(_ duration: Duration) -> String {
        String(Instant.start.advanced(by: duration).description.dropLast(3))
    }

    private static func attributes(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { " \($0.name)=\"\(Markup.escaped($0.value, in: .attribute))\"" }.joined()
    }
}
