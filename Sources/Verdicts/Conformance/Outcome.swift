public import Expectations
public import Simulation
import Spelling

/// The verdict about one expectation of a case.
public struct CaseFinding: Hashable, Sendable {
    /// The expectation's id; nil for the case as a whole.
    public var id: String?
    /// The SIG's test case or the section of a specification that requires it.
    public var requirement: String?
    /// The verdict.
    public var verdict: Verdict
    /// The expected and observed behavior; nil for a pass.
    public var why: Reason?
    /// When it was decided; nil if there is no such instant.
    public var instant: Instant?
    /// The lines of the packet trace around that instant: `4.046108  <- ATT Handle Value Notification …`.
    public var trace: [String] = []

    /// A verdict about the expectation `id`.
    public init(
        id: String?, requirement: String? = nil, verdict: Verdict, why: Reason?, at instant: Instant? = nil,
        trace: [String] = []
    ) {
        (self.id, self.requirement, self.verdict) = (id, requirement, verdict)
        (self.why, self.instant, self.trace) = (why, instant, trace)
    }

    /// A verdict about the expectation `id`, with a reason in one sentence.
    public init(id: String?, requirement: String? = nil, verdict: Verdict, reason: String? = nil) {
        self.init(id: id, requirement: requirement, verdict: verdict, why: reason.map { Reason(seen: $0) })
    }

    /// One line: `shows (HRP/COL/HRF/BV-04-C): expected …; saw …`.
    public var line: String {
        guard let id else { return why?.description ?? verdict.rawValue }
        // Quoting keeps any text on one line.
        let requirement = requirement.map { " (\($0.quoted.dropFirst().dropLast()))" } ?? ""
        return id + requirement + (why.map { ": \($0)" } ?? "")
    }
}

/// How a case ended.
public struct Outcome: Hashable, Sendable {
    /// The scenario's name.
    public var title: String
    /// The worst verdict of the findings; a skip counts only if nothing passed.
    public var verdict: Verdict
    /// The requirements of the findings with that verdict.
    public var requirements: [String]
    /// One for each expectation.
    public var findings: [CaseFinding]
    /// The command line that repeats the case.
    public var replay: String?
    /// The seed; nil if the case was not played.
    public var seed: UInt64?
    /// How long it took, by the case's clock.
    public var duration: Duration
    /// What happened; nil if it was not recorded.
    public var timeline: CaseTimeline?

    /// An outcome with this verdict and these reasons.
    public init(
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
    public init(
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

    /// The findings that did not pass.
    public var faults: [CaseFinding] { findings.filter { $0.verdict != .pass } }

    /// A line for each finding that did not pass.
    public var reasons: [String] { faults.map(\.line) }

    /// The reasons, each followed by its trace, indented by two spaces.
    public var account: [String] { faults.flatMap { [$0.line] + $0.trace.map { "  " + $0 } } }

    private static let gravity: [Verdict] = [.error, .fail, .inconclusive, .pass, .skip]
}
