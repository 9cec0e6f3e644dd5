import Basics
package import Cases
package import Conformance
import Expectations

extension CaseResult {
    /// The lines that a command prints that runs nothing else.
    package func lines(_ paint: Paint, in time: Report.Time?) -> [TerminalLine] {
        guard let judgement else {
            return outcome.reasons.map { "\(paint(outcome.verdict.rawValue, outcome.verdict.style))  \($0)" }
        }
        var lines: [TerminalLine] = [
            "\(measurements == 0 ? "No measurements" : measurements.counted("measurement")) in "
                + "\(outcome.duration.inTenths) s\(time?.ending ?? "")\(hint)"
        ]
        lines += judgement.lines(paint)
        if judgement.code == nil {
            let (verdict, count) = (outcome.verdict, measurements == 0 ? "no measurement" : "measurements")
            let why = code.isInterruption ? "the run was interrupted, until then " : ""
            lines.append(
                "\(paint(verdict.rawValue, verdict.style))  client: \(why)it reported \(count) "
                    + "(a scenario without expectations requires one measurement)")
        }
        if let code = judgement.code, code != .success {
            if let note = outcome.note { lines.append("note: \(note)") }
            if let replay = outcome.replay { lines.append("replay: \(replay)") }
        }
        return lines
    }
}

extension Judgement {
    /// The client's fault, a line for each expectation, the recommendations last, then a summary.
    package func lines(_ paint: Paint) -> [TerminalLine] {
        guard let summary else { return [] }
        var lines: [TerminalLine] = []
        if let fault = clientFault {
            lines.append("\(paint(fault.verdict.rawValue, fault.verdict.style))  \(fault.line)")
        }
        for (findings, head) in [(requirements, ""), (recommendations, "should  ")] {
            for finding in findings {
                let word = paint(finding.verdict.rawValue, finding.verdict.style)
                lines += CaseFormatter.lines(finding, paint, after: "\(head)\(word)  ", indentedBy: 6)
            }
        }
        return lines + ["\(summary)"]
    }
}
