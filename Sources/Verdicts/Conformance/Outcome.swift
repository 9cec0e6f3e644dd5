package import Basics
package import Expectations

/// The verdict about one expectation of a case.
package struct CaseFinding: Hashable, Sendable {
    /// The expectation's id; nil for the case as a whole.
    package var id: String?
    /// The SIG's test case or the section of a specification that requires it.
    package var requirement: String?
    package var verdict: Verdict
    /// The expected and observed behavior; nil for a pass.
    package var why: Reason?
    /// When it was decided; nil if there is no such instant.
    package var instant: Instant?
    /// The lines of the packet trace around that instant: `4.046108  <- ATT Handle Value Notification …`; for a problem of
    /// a file, its source lines and its fix.
    package var trace: [String] = []

    /// A verdict about the expectation `id`.
    package init(
        id: String?, requirement: String? = nil, verdict: Verdict, why: Reason?, at instant: Instant? = nil,
        trace: [String] = []
    ) {
        (self.id, self.requirement, self.verdict) = (id, requirement, verdict)
        (self.why, self.instant, self.trace) = (why, instant, trace)
    }

    /// A verdict about the expectation `id`, with a reason in one sentence.
    package init(id: String?, requirement: String? = nil, verdict: Verdict, reason: String? = nil) {
        self.init(id: id, requirement: requirement, verdict: verdict, why: reason.map { Reason(seen: $0) })
    }

    /// One line: `shows (HRP/COL/HRF/BV-04-C): expected …; observed …`.
    package var line: String {
        let parts = [title, why?.description].compactMap(\.self)
        return parts.isEmpty ? verdict.rawValue : parts.joined(separator: ": ")
    }

    /// Several lines: `shows (HRP/COL/HRF/BV-04-C)`, then what was expected and observed, if that is known.
    package var lines: (title: String, rows: [(label: String, text: String)]) {
        let rows = why?.rows ?? []
        return (rows.isEmpty ? line : title ?? "", rows)
    }

    /// Nil without an id.  Quoting keeps any text on one line.
    private var title: String? {
        id.map { $0 + (requirement.map { " (\($0.quoted.dropFirst().dropLast()))" } ?? "") }
    }
}

/// How a case ended.
package struct Outcome: Hashable, Sendable {
    /// The scenario's name.
    package var title: String
    /// The worst verdict of the findings; a skip counts only if nothing passed.
    package var verdict: Verdict
    /// The requirements of the findings with that verdict.
    package var requirements: [String]
    package var findings: [CaseFinding]
    /// The command line that repeats the case.
    package var replay: String?
    /// The seed; nil if the case was not played.
    package var seed: UInt64?
    /// How long it took, by the case's clock.
    package var duration: Duration
    /// What happened; nil if it was not recorded.
    package var timeline: CaseTimeline?
    /// The scenario's note: what the client must do, and why.
    package var note: String?
    /// The last lines that the client wrote to its standard error.
    package var clientErrors: [String] = []
    /// Whether it is a fail that the run accepts.
    package var isKnown = false

    /// An outcome with this verdict and these reasons.
    package init(
        _ verdict: Verdict, title: String, reasons: [String] = [], replay: String? = nil, seed: UInt64? = nil,
        duration: Duration = .zero
    ) {
        (self.verdict, self.title, requirements) = (verdict, title, [])
        findings = reasons.map { CaseFinding(id: nil, verdict: verdict, reason: $0) }
        (self.replay, self.seed, self.duration) = (replay, seed, duration)
    }

    /// The outcome of at least one finding.
    ///
    /// It passes if a finding does and all others pass or were skipped; a fail outweighs an inconclusive finding.
    package init(
        judging findings: [CaseFinding], title: String, replay: String? = nil, seed: UInt64? = nil, duration: Duration
    ) {
        let verdict = Self.gravity.first { verdict in findings.contains { $0.verdict == verdict } } ?? .inconclusive
        self.init(verdict, title: title, replay: replay, seed: seed, duration: duration)
        self.findings = findings
        for finding in findings where finding.verdict == verdict {
            guard let requirement = finding.requirement, !requirements.contains(requirement) else { continue }
            requirements.append(requirement)
        }
    }

    /// Whether it fails the run.
    package var isFault: Bool { verdict.isFault && !isKnown }

    package var faults: [CaseFinding] { findings.filter { $0.verdict != .pass } }

    /// A line for each finding that did not pass.
    package var reasons: [String] { faults.map(\.line) }

    /// The reasons, each followed by its trace, indented by two spaces.
    package var account: [String] { faults.flatMap { [$0.line] + $0.trace.map { "  " + $0 } } }

    /// The account, with the instants of the verdicts and the scenario's note.
    package var details: [String] {
        faults.flatMap { finding in
            [finding.line] + (finding.instant.map { ["  at \($0) s"] } ?? []) + finding.trace.map { "  " + $0 }
        } + (note.map { ["note: \($0)"] } ?? [])
    }

    private static let gravity: [Verdict] = [.error, .fail, .inconclusive, .pass, .skip]
}
