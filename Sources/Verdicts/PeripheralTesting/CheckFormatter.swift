import Arguments
import Checks
import CommandSupport
import Conformance
import Expectations
import ScenarioRuns
import Simulation
import Terminal
import TextFormatting

/// Formats outcomes of checks for people.
struct CheckFormatter {
    let paint: Paint
    private let isQuiet: Bool

    init(_ invocation: Invocation) throws(CommandFailure) {
        isQuiet = invocation.has("--quiet")
        paint = try Paint(invocation, for: Console.descriptor)
    }

    func lines(_ outcome: Check.Outcome, replay: String, trace packets: [String]) -> [String] {
        let (check, verdict) = (outcome.check, outcome.verdict)
        guard !isQuiet || (verdict != .pass && verdict != .skip) else { return [] }
        let style: Paint.Style =
            switch verdict {
            case .pass: .state
            case .skip: .quiet
            case .fail, .inconclusive, .error: .warning
            }
        let label = verdict == .inconclusive ? verdict.rawValue : verdict.rawValue.padded(to: 4)
        var lines = ["\(paint(label, style))  \(check.id)  \(check.title)"]
        if let reason = outcome.reason { lines[0] += ": \(reason)" }
        guard verdict == .fail || verdict == .inconclusive || verdict == .error else { return lines }
        if let finding = outcome.finding {
            lines.append("      expected  \(finding.expected)")
            lines.append("      seen      \(finding.seen)")
            lines.append("      at        \(finding.instant) s")
        }
        lines.append("      requires  \(check.requirement)")
        lines += CaseFormatter.trace(packets, paint, indentedBy: 6, label: 10)
        lines.append("      replay: \(replay)")
        return lines
    }
}

extension Outcome {
    /// The outcome of a check as a case of a report, with the packets before a failure.
    init(_ outcome: Check.Outcome, replay: String, seed: UInt64?, trace: [String]) {
        let seen = outcome.finding.map { Reason(expected: $0.expected, seen: $0.seen) }
        let finding = CaseFinding(
            id: nil, requirement: outcome.check.requirement, verdict: outcome.verdict,
            why: seen ?? outcome.reason.map { Reason(seen: $0) }, at: outcome.finding?.instant, trace: trace)
        self.init(
            judging: [finding], title: outcome.check.title, replay: replay, seed: seed, duration: outcome.duration)
    }
}
