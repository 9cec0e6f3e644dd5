public import Expectations
public import Simulation
import Spelling

/// What was found out about one thing that a case demands.
public struct CaseFinding: Hashable, Sendable {
    /// The expectation's id; nil for what is about the case as a whole.
    public var id: String?
    /// What demands it: a test case of the Bluetooth SIG, or a section of a specification.
    public var requirement: String?
    /// How it ended.
    public var verdict: Verdict
    /// What was expected, and what was seen; nil when it passed.
    public var why: Reason?
    /// When that was sure; nil where there is no such instant.
    public var instant: Instant?
    /// The lines of the trace around that instant, each with its own: `4.046108  <- ATT Handle Value Notification …`.
    public var trace: [String] = []

    /// This verdict about the expectation `id`.
    public init(
        id: String?, requirement: String? = nil, verdict: Verdict, why: Reason?, at instant: Instant? = nil,
        trace: [String] = []
    ) {
        (self.id, self.requirement, self.verdict) = (id, requirement, verdict)
        (self.why, self.instant, self.trace) = (why, instant, trace)
    }

    /// This verdict about the expectation `id`, for a reason that is told as a whole.
    public init(id: String?, requirement: String? = nil, verdict: Verdict, reason: String? = nil) {
        self.init(id: id, requirement: requirement, verdict: verdict, why: reason.map { Reason(seen: $0) })
    }

    /// On one line: `shows (HRP/COL/HRF/BV-04-C): expected …; saw …`.
    public var line: String {
        guard let id else { return why?.description ?? verdict.rawValue }
        // Quoted, it stays on one line whatever a file says.
        let requirement = requirement.map { " (\($0.quoted.dropFirst().dropLast()))" } ?? ""
        return id + requirement + (why.map { ": \($0)" } ?? "")
    }
}

/// How a case ended.
public struct Outcome: Hashable, Sendable {
    /// What people call the case.
    public var title: String
    /// The worst of what was found, but for what was not asked beside something that passed.
    public var verdict: Verdict
    /// The test cases and sections that decided it: of what did not pass, or of all when everything passed.
    public var requirements: [String]
    /// What was found of each thing that the case demands.
    public var findings: [CaseFinding]
    /// The command line that plays it again.
    public var replay: String?
    /// From which its chance came; nil when it was not played.
    public var seed: UInt64?
    /// How long it was played, by the case's own clock.
    public var duration: Duration
    /// What happened meanwhile; nil when nobody wrote that down.
    public var chronicle: Chronicle?

    /// One of this verdict, for these reasons.
    public init(
        _ verdict: Verdict, title: String, reasons: [String] = [], replay: String? = nil, seed: UInt64? = nil,
        duration: Duration = .zero
    ) {
        (self.verdict, self.title, requirements) = (verdict, title, [])
        findings = reasons.map { CaseFinding(id: nil, verdict: verdict, reason: $0) }
        (self.replay, self.seed, self.duration) = (replay, seed, duration)
    }

    /// What was required, and what was found of it: there is one finding at least.
    ///
    /// It passes if one does, and all others do or were not asked; one that fails outweighs any that could not be decided.
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

    /// What did not pass.
    public var faults: [CaseFinding] { findings.filter { $0.verdict != .pass } }

    /// A line for each thing that did not pass.
    public var reasons: [String] { faults.map(\.line) }

    /// The same with the lines of the trace around each fault, two spaces further in.
    public var account: [String] { faults.flatMap { [$0.line] + $0.trace.map { "  " + $0 } } }

    private static let gravity: [Verdict] = [.error, .fail, .inconclusive, .pass, .skip]
}
