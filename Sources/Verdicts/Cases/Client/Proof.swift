package import Basics
package import Clients
import Documents
import Expectations
import ScenarioModel
import Synchronization
import VirtualWorld

/// Which faulty clients fail the expectations of a scenario: an expectation that none of them fails may pass any client.
package struct Proof: Sendable {
    /// An expectation.
    package struct Row: Hashable, Sendable {
        package let expectation: String
        package let isRecommendation: Bool
        /// Why the built-in client does not pass, although it has no fault; nil if it passes.
        package let complaint: String?
        /// When the verdict on the built-in client came.
        let decided: Instant
        let hasTimeLimit: Bool
        /// The scenario's limit.
        let limit: Duration
        /// The names of the clients that fail it.
        package internal(set) var failedBy: [String] = []
        /// The names of the clients with which the scenario ends before it is decided.
        package fileprivate(set) var undecidedFor: [String] = []
        /// The names of the clients with which its `since` does not come.
        package fileprivate(set) var unopenedBy: [String] = []
        /// Whether a fault shows before it is decided.
        fileprivate(set) var isReached = false

        /// Whether it passes a correct client and fails a faulty one.
        package var isProven: Bool { complaint == nil && !failedBy.isEmpty }
    }

    /// A rule that does not act, because the case has ended.
    package struct MissedRule: Hashable, Sendable {
        /// `rule "away"`, or with its number in the script.
        package let name: String
        package let time: Instant
        package let end: Instant

        /// What to tell its author.
        package var complaint: String {
            "with the built-in client the case ends at \(end) s, before \(name) acts at \((Instant.start.duration(to: time) / .seconds(1)).plain) s: "
                + "let it act earlier, or expect something after it"
        }
    }

    /// The rules at a time that the case does not reach with the built-in client, since all is decided before.
    package var missed: [MissedRule] {
        plan.scenario.script.enumerated().compactMap { [end = correct.end] index, rule in
            let time = rule.when.clockTime(after: Instant(nanoseconds: -1), origin: .start)
            guard let end, let time, time > end else { return nil }
            return MissedRule(name: "rule " + (rule.id?.quoted ?? "\(index + 1)"), time: time, end: end)
        }
    }

    /// In the order of the scenario.
    package private(set) var rows: [Row] = []
    /// The names of the clients that pass, although their faults show: those with a fault of a real project first.
    package var passing: [String] { passingLikeReal + passingOthers }
    private var passingLikeReal: [String] = []
    private var passingOthers: [String] = []
    /// The names of the clients that fail only the expectation of every client under test, `nothing_invented`.
    package private(set) var inventing: [String] = []
    /// The names of the clients that fail nothing, but do not pass everything.
    package private(set) var undecided: [String] = []
    /// The names of the clients that do the same as the built-in client.
    package private(set) var unseen: [String] = []
    private let plan: RunPlan
    private let correct: Run

    /// Plays the scenario with the built-in client.
    package init(_ plan: RunPlan) throws(Obstacle) {
        self.plan = plan
        correct = try Run(plan, with: nil)
        let limit = plan.scenario.limit
        rows = plan.scenario.expectations.enumerated().map { [correct] index, expectation in
            let ruling = correct.rulings.first { $0.expectation == index }
            let isPassed = ruling?.verdict == .pass
            let reason = ruling.map { [$0.verdict.rawValue, $0.reason].compactMap(\.self).joined(separator: ": ") }
            return Row(
                expectation: expectation.id, isRecommendation: expectation.isRecommendation,
                complaint: isPassed ? nil : reason ?? "not judged",
                decided: ruling?.at ?? Instant.start.advanced(by: limit), hasTimeLimit: expectation.within != nil,
                limit: limit)
        }
    }

    /// Plays the scenario with a faulty client.
    package mutating func play(_ client: FaultyClient) throws(Obstacle) {
        let run = try Run(plan, with: client)
        let difference = run.firstDifference(from: correct)
        for ruling in run.rulings where rows.indices.contains(ruling.expectation) {
            rows[ruling.expectation].take(ruling, of: client.name, whoseFaultShows: difference)
        }
        let own = run.rulings.filter { rows.indices.contains($0.expectation) }.map(\.verdict)
        if own.contains(.fail) { return }
        if difference == nil {
            unseen.append(client.name)
        } else if run.rulings.contains(where: { $0.verdict == .fail }) {
            inventing.append(client.name)
        } else if own.contains(.inconclusive) {
            undecided.append(client.name)
        } else if client.source != nil {
            passingLikeReal.append(client.name)
        } else {
            passingOthers.append(client.name)
        }
    }
}

extension Proof.Row {
    fileprivate mutating func take(_ ruling: Judge.Ruling, of client: String, whoseFaultShows difference: Instant?) {
        if let difference, difference <= decided { isReached = true }
        switch ruling.verdict {
        case .fail: failedBy.append(client)
        case .inconclusive where difference != nil:
            if ruling.why?.expected == nil { unopenedBy.append(client) } else { undecidedFor.append(client) }
        default: break
        }
    }
}

/// What happened in the scenario with a client, judged like a client under test.
private struct Run: Sendable {
    let rulings: [Judge.Ruling]
    /// When all expectations were decided; nil if that was not before the limit.
    let end: Instant?
    private let events: [EventChunk.Fingerprint]

    init(_ plan: RunPlan, with client: FaultyClient?) throws(Obstacle) {
        var plan = plan
        plan.faultyClient = client
        let events = Mutex<[EventChunk.Fingerprint]>([])
        var world = try plan.world()
        world.journal = EventJournal { chunk in events.withLock { $0 += chunk.fingerprints } }
        world.judgeExpectations(on: .clientUnderTest)
        var clientRun = try BuiltInClientRun(plan, in: world, nil)
        clientRun.play { _, _ in }
        end = clientRun.world.isDecided ? clientRun.now : nil
        clientRun.world.report(.ended)
        clientRun.world.journal.flush()
        rulings = clientRun.world.rulings
        self.events = events.withLock(\.self)
    }

    /// When something else happened than in the other run; nil if nothing did.
    func firstDifference(from other: Run) -> Instant? {
        for (event, otherEvent) in zip(events, other.events) where event != otherEvent {
            return min(event.instant, otherEvent.instant)
        }
        let common = min(events.count, other.events.count)
        return (events.dropFirst(common).first ?? other.events.dropFirst(common).first)?.instant
    }
}
