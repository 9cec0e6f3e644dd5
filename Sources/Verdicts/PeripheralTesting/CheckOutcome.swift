import Checks
import Conformance
import Expectations

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
