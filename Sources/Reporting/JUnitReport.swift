public import Conformance
import Expectations
import Simulation
import Spelling

/// A report as XML in the form of JUnit, as Jenkins takes it (junit-10.xsd of its xUnit plugin), and with it other CIs.
///
/// A group is a `testsuite`.  What is inconclusive is a `failure` of that type: nothing else would be seen.
public enum JUnitReport {
    /// The text of the file.
    public static func text(of report: Report) -> String {
        let all = report.summary
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            "<testsuites\(attributes([("name", "lubdub")] + counts(all, report.duration)))>",
        ]
        for group in report.groups {
            let name = group.name == "." ? "lubdub" : group.name
            let skipped = [("skipped", "\(group.tally[.skip])")]
            lines.append(
                "  <testsuite\(attributes([("name", name)] + counts(group.tally, group.duration) + skipped))>")
            lines.append("    <properties>")
            for property in [("version", report.version), ("seed", "\(report.seed)")] {
                lines.append("      <property\(attributes([("name", property.0), ("value", property.1)]))/>")
            }
            lines.append("    </properties>")
            for entry in group.cases { lines += rows(entry, class: group.name == "." ? "lubdub" : "lubdub.\(name)") }
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
        let element: String
        switch outcome.verdict {
        case .pass: return ["\(open)/>"]
        case .fail, .inconclusive: element = "failure"
        case .skip: element = "skipped"
        case .error: element = "error"
        }
        let message = outcome.reasons.first ?? outcome.verdict.rawValue
        var text = [outcome.title] + outcome.reasons
        if !outcome.requirements.isEmpty {
            text.append("requirement: " + outcome.requirements.joined(separator: ", "))
        }
        if let replay = outcome.replay { text.append("replay: \(replay)") }
        return [
            "\(open)>",
            "      <\(element)\(attributes([("type", outcome.verdict.rawValue), ("message", message)]))>"
                + "\(escaped(text.joined(separator: "\n"), in: .text))</\(element)>",
            "    </testcase>",
        ]
    }

    /// Three decimals, as older schemas want it.
    private static func seconds(_ duration: Duration) -> String {
        String(Instant.start.advanced(by: duration).description.dropLast(3))
    }

    private static func attributes(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { " \($0.name)=\"\(escaped($0.value, in: .attribute))\"" }.joined()
    }

    private enum Place { case text, attribute }

    /// XML 1.0, section 2.2: most control characters cannot stand in a document, not even as references; they and the
    /// others that nobody sees are written `\u{1B}`.
    private static func escaped(_ text: String, in place: Place) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n" where place == .text: result += "\n"
            case "\n", "\t": result += "&#\(scalar.value);"
            case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{FFFE}"..."\u{FFFF}":
                result += "\\u{\(scalar.value.text(digits: 2, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
