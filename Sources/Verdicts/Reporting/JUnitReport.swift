package import Conformance
import Expectations
import Simulation
import TextFormatting

/// A report as JUnit XML, in the form that Jenkins and other CI systems accept (junit-10.xsd of Jenkins' xUnit plugin).
///
/// A group is a `testsuite`.  An inconclusive case is a `failure` of that type, since JUnit has nothing closer.
package enum JUnitReport {
    package static func text(of report: Report) -> String {
        let all = report.summary
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            "<testsuites\(attributes([("name", "lubdub")] + counts(all, report.duration)))>",
        ]
        for group in report.groups {
            let name = group.name ?? "lubdub"
            let skipped = [("skipped", "\(group.tally[.skip])")]
            lines.append(
                "  <testsuite\(attributes([("name", name)] + counts(group.tally, group.duration) + skipped))>")
            lines.append("    <properties>")
            for property in [("version", report.version), ("seed", "\(report.seed)")] {
                lines.append("      <property\(attributes([("name", property.0), ("value", property.1)]))/>")
            }
            lines.append("    </properties>")
            for entry in group.cases { lines += rows(entry, class: group.name.map { "lubdub.\($0)" } ?? name) }
            lines.append("  </testsuite>")
        }
        return (lines + ["</testsuites>", ""]).joined(separator: "\n")
    }

    private static func counts(_ tally: Report.Tally, _ duration: Duration) -> [(String, String)] {
        [
            ("tests", "\(tally.total)"), ("failures", "\(tally[.fail] + tally[.inconclusive])"),
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
        case .fail, .inconclusive: element = "failure"
        case .skip: element = "skipped"
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
            "      <\(element)\(attributes([("type", outcome.verdict.rawValue), ("message", message)]))>"
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
