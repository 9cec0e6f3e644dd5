public import Expectations
import Spelling

/// What was found out about one thing that a case demands.
public struct CaseFinding: Hashable, Sendable {
    /// The expectation's id.
    public var id: String
    /// What demands it: a test case of the Bluetooth SIG, or a section of a specification.
    public var requirement: String?
    /// How it ended.
    public var verdict: Verdict
    /// What was expected, what was seen and when; nil when it passed.
    public var reason: String?

    /// This verdict about the expectation `id`.
    public init(id: String, requirement: String? = nil, verdict: Verdict, reason: String? = nil) {
        (self.id, self.requirement, self.verdict, self.reason) = (id, requirement, verdict, reason)
    }
}

/// How a case ended.
public struct Outcome: Hashable, Sendable {
    /// What people call the case.
    public var title: String
    /// The worst of what was found.
    public var verdict: Verdict
    /// The test cases and sections that decided it: of what did not pass, or of all when everything passed.
    public var requirements: [String]
    /// Why it did not pass, a line for each thing that did not; empty when it did.
    public var reasons: [String]
    /// The command line that plays it again.
    public var replay: String?
    /// From which its chance came; nil when it was not played.
    public var seed: UInt64?
    /// How long it was played, by the case's own clock.
    public var duration: Duration

    /// One of this verdict, for these reasons.
    public init(
        _ verdict: Verdict, title: String, reasons: [String] = [], replay: String? = nil, seed: UInt64? = nil,
        duration: Duration = .zero
    ) {
        (self.verdict, self.title, self.reasons, requirements) = (verdict, title, reasons, [])
        (self.replay, self.seed, self.duration) = (replay, seed, duration)
    }

    /// What was required, and what was found of it: there is one finding at least.
    ///
    /// It passes if all of them do; one that fails outweighs any that could not be decided.
    public init(
        judging findings: [CaseFinding], title: String, replay: String? = nil, seed: UInt64? = nil, duration: Duration
    ) {
        let verdict = Self.gravity.first { verdict in findings.contains { $0.verdict == verdict } } ?? .inconclusive
        let deciding = findings.filter { $0.verdict == verdict }
        self.init(verdict, title: title, replay: replay, seed: seed, duration: duration)
        for requirement in deciding.compactMap(\.requirement) where !requirements.contains(requirement) {
            requirements.append(requirement)
        }
        reasons = findings.filter { $0.verdict != .pass }.map { finding in
            // Quoted, it stays on one line whatever a file says.
            let requirement = finding.requirement.map { " (\($0.quoted.dropFirst().dropLast()))" } ?? ""
            return finding.id + requirement + (finding.reason.map { ": \($0)" } ?? "")
        }
    }

    private static let gravity: [Verdict] = [.error, .fail, .inconclusive, .skip, .pass]
}
