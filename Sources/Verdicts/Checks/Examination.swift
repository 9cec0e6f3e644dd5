import Basics
import Expectations
import GATT
import LEHost

/// Checks of one peripheral, one after another over one host.
///
/// They share what none of them changes: the advertising, a connection, the handles of attributes, and one recording of what
/// the peripheral sends.  A check that does not pass with what others have used runs again alone, so that it never fails
/// because of them.
package struct Examination {
    private let peer: Peer
    private let host: any ExaminerHost
    private let isStrict: Bool
    /// Of all checks that will run.
    private let needs: Set<Recording.Need>
    /// The examiner of the last check, if the next one may continue with it.
    private var kept: Examiner?
    /// The last examiner that had discovered all attributes.
    private var informed: Examiner?
    /// The identity of the peripheral; nil until a check has discovered its attributes.
    package private(set) var identity: PeripheralIdentity?
    private var recording: Recording?
    /// The recording in progress.
    private var tape: Recording?
    /// Whether the peripheral has made a recording impossible; then the checks subscribe by themselves.
    private var cannotRecord = false
    private var knowledge = Knowledge()
    /// Why the peripheral cannot be connected to again, as far as a check has found that; nil if it can.
    package var absence: String? { knowledge.absence }

    /// Examines a peripheral; the first of `checks` that needs a recording makes it long enough for all others.
    package init(of peer: Peer, by host: any ExaminerHost, isStrict: Bool, running checks: [Check]) {
        (self.peer, self.host, self.isStrict) = (peer, host, isStrict)
        needs = Set(checks.filter { $0.skipReason(isStrict: isStrict) == nil }.compactMap(\.recording))
    }

    /// Runs a check.  If `host.isOver` then, the outcome does not count.
    package mutating func outcome(of check: Check) -> Check.Outcome {
        if let known = knownOutcome(of: check) { return known }
        let isFirst = kept == nil
        let (outcome, hasShared) = run(check)
        let isDoubtful = outcome.verdict == .fail ? hasShared : outcome.verdict == .inconclusive && !isFirst
        guard isDoubtful, !host.isOver, !outcome.isExcused, absence == nil else { return outcome }
        let alone = runAlone(check)
        guard let finding = outcome.finding, alone.verdict == .pass else { return alone }
        return Check.Outcome(
            check,
            inconclusive: "it passed on its own connection, but failed on one that other checks had used: expected "
                + "\(finding.expected), seen \(finding.seen)")
    }

    /// The outcome of a check that will be skipped, as far as that is known without the peripheral.
    package func knownOutcome(of check: Check) -> Check.Outcome? {
        knownReason(to: check).map { Check.Outcome(check, .skipped($0), took: .zero) }
    }

    /// About how long these checks take, one after another, with a peripheral that answers quickly.
    package func estimate(for checks: some Sequence<Check>) -> Duration {
        let coming = checks.filter { knownReason(to: $0) == nil }
        let isRecorded = recording != nil || !coming.contains { $0.recording != nil }
        let recorded = (tape?.duration ?? .zero) + (tape?.begin?.duration(to: host.now) ?? .zero)
        return coming.reduce(isRecorded ? .zero : max(.zero, Recording.usualDuration - recorded)) { sum, check in
            sum + check.scope.usualDuration
        }
    }

    /// Ends the connection that checks share.
    package mutating func end() {
        kept?.disconnect()
        kept = nil
    }

    /// Why to skip a check, as far as that is known without the peripheral; nil if the check must run.
    private func knownReason(to check: Check) -> String? {
        check.skipReason(isStrict: isStrict) ?? check.unsupportedReason(for: host)
            ?? check.prerequisites.lazy.compactMap(knowledge.skipReason).first
            ?? informed.flatMap(check.prerequisiteReason)
    }

    private mutating func runAlone(_ check: Check) -> Check.Outcome {
        end()
        return check.run(on: peer, over: host, isStrict: isStrict, knowing: &knowledge)
    }

    private mutating func run(_ check: Check) -> (outcome: Check.Outcome, hasShared: Bool) {
        var examiner = kept ?? Examiner(by: host, of: peer, knowing: knowledge)
        kept = nil
        (examiner.recording, examiner.tape, examiner.earlierServices) = (recording, tape, informed?.services ?? [])
        examiner.forget()
        let isShared = examiner.isShared(by: check.scope)
        let outcome = check.outcome(&examiner, isStrict) { examiner throws(CheckExit) in
            try prepare(&examiner, for: check)
        }
        // Recorded values, and a request that the peripheral ignored, do not depend on earlier checks.
        let hasShared =
            (isShared || examiner.tape?.begin != nil || examiner.reusesAttributes) && check.recording == nil
            && !examiner.isIgnored
        let stall = max(examiner.stall, examiner.tape?.stall ?? .zero)
        examiner.tape?.stall = stall
        if !examiner.services.isEmpty { informed = examiner }
        if outcome.isExcused { recording = nil }
        let hasPassed = outcome.verdict == .pass || outcome.verdict == .skip
        if !hasPassed || !examiner.isShareable {
            examiner.pauseRecording()
            examiner.disconnect()
        }
        (knowledge, tape, kept) = (examiner.knowledge, examiner.tape, hasPassed ? examiner : nil)
        identify()
        return (outcome, hasShared)
    }

    private mutating func identify() {
        guard identity == nil, var examiner = kept, examiner.connection != nil, !examiner.services.isEmpty else {
            return
        }
        kept = nil
        do throws(CheckExit) {
            identity = try examiner.identity()
            kept = examiner
        } catch {
            examiner.pauseRecording()
            examiner.disconnect()
        }
        (knowledge, tape) = (examiner.knowledge, examiner.tape)
    }

    private mutating func prepare(_ examiner: inout Examiner, for check: Check) throws(CheckExit) {
        if !needs.isEmpty, recording == nil, !cannotRecord, check.recording != nil || check.scope == .connection {
            do throws(CheckExit) { try record(&examiner, for: check) } catch {
                (cannotRecord, tape, examiner.tape) = (true, nil, nil)
                throw error
            }
        }
        try examiner.prepare(as: check.scope, avoidingBond: check.avoidsBond)
    }

    /// Records while checks share a connection, and for the rest of the time when the first check needs the recording.
    private mutating func record(_ examiner: inout Examiner, for check: Check) throws(CheckExit) {
        try examiner.prepare(as: .connection)
        if examiner.tape?.begin == nil {
            try examiner.startRecording(for: needs)
        } else {
            try examiner.continueRecording()
        }
        guard check.recording != nil else { return }
        try examiner.completeRecording(for: needs)
        recording = examiner.recording
    }
}

extension Check.Scope {
    /// Of a check, with what comes before it.
    fileprivate var usualDuration: Duration {
        switch self {
        case .advertising, .link, .narrow: .milliseconds(300)
        case .connection: .milliseconds(100)
        case .freshLink, .freshConnection, .stranger: .milliseconds(1500)
        }
    }
}

extension Check {
    /// The order in which checks interrupt each other least: those that share something are neighbors, and those that may
    /// break a peripheral are last.
    package var rank: Int {
        if weight == .robustness { return 7 }
        switch scope {
        case .advertising: return 0
        case .freshLink, .freshConnection, .stranger: return recording == nil ? 1 : 6
        case .link: return 2
        case .narrow: return 3
        case .connection: return recording == nil ? 4 : 5
        }
    }
}
