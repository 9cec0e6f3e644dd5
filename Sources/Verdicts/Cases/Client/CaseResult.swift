package import Basics
package import Causes
package import Conformance
import Expectations
import ScenarioModel
package import VirtualWorld

package struct CaseResult: Sendable {
    package let outcome: Outcome
    /// Nil when the case was not run.
    package let judgement: Judgement?
    /// The number of sensor values that the client reported.
    package let measurements: Int
    /// The exit code of a command that runs nothing else.
    package let code: ExitCode
    /// What the client printed instead of measurements, for the end of a line; empty if it is not known.
    package let hint: String
    /// How this machine disturbed the case, if nothing else kept it from a verdict.
    package var disturbance: String?

    /// The result of a judged world, and of its external client if there is one.  If nothing was judged, the client must
    /// have reported a measurement.
    package init(
        _ world: World, _ judgement: Judgement, of plan: RunPlan, measurements: Int,
        client: ClientRecord? = nil,
        timeline: CaseTimeline?, code: ExitCode
    ) {
        (self.judgement, self.measurements, self.code) = (judgement, measurements, code)
        let (title, duration, findings) = (plan.scenario.name, world.now.sinceStart, judgement.findings)
        hint = measurements > 0 ? "" : (client?.end?.words ?? client?.printed.cause).map { "; \($0)" } ?? ""
        var outcome: Outcome
        if judgement.code == nil, code.isInterruption {
            outcome = Outcome(
                .inconclusive, title: title, reasons: ["the run was interrupted"], replay: plan.replay,
                seed: plan.seed, duration: duration)
        } else if findings.isEmpty {
            let passes = judgement.code == .success || measurements > 0
            outcome = Outcome(
                passes ? .pass : .fail, title: title,
                reasons: passes ? [] : ["the client reported no measurement\(hint)"],
                replay: plan.replay, seed: plan.seed, duration: duration)
        } else {
            outcome = Outcome(
                judging: findings, title: title, replay: plan.replay, seed: plan.seed,
                duration: duration)
        }
        outcome.timeline = timeline
        outcome.clientErrors = client?.errors.lines ?? []
        outcome.note = [.fail, .inconclusive].contains(outcome.verdict) ? plan.scenario.note : nil
        self.outcome = outcome
        guard let client, outcome.verdict == .inconclusive, !code.isInterruption else { return }
        if client.isStarved {
            disturbance = "the client waited \(client.waited) for a CPU"
        } else if client.fault == nil || client.stall != nil,
            let stall = (world.rulings.map(\.stall) + [client.stall]).compactMap(\.self).max()
        {
            disturbance = "this machine stalled for \(stall)"
        }
    }

    package init(
        _ clientRun: BuiltInClientRun, _ judgement: Judgement, of plan: RunPlan, code: ExitCode
    ) {
        self.init(
            clientRun.world, judgement, of: plan, measurements: clientRun.measurements,
            timeline: clientRun.timeline, code: code)
    }

    /// The result of a case that cannot be run.
    package init(unplayed outcome: Outcome, code: ExitCode = .environment) {
        (self.outcome, judgement, measurements, self.code, hint) = (outcome, nil, 0, code, "")
    }
}

/// The verdicts on a scenario's expectations: findings for reports and for the terminal, and the exit code.
package struct Judgement {
    private struct Row {
        let expectation: Expectation
        package let ruling: Judge.Ruling
    }

    private let rows: [Row]  // in the scenario's order
    private let isStrict: Bool
    private let fault: ClientFault?
    /// The last line that a client with a fault wrote to its standard error.
    private let lastError: String?
    private let missingBus: String?
    private let explainer: Explainer

    package init(_ clientRun: BuiltInClientRun, of plan: RunPlan) throws(Obstacle) {
        self.init(
            clientRun.world, isStrict: plan.isStrict,
            traceContext: try clientRun.traceContext(of: plan))
    }

    /// The judgement of a finished world; `isStrict` judges recommendations like requirements.  When a client under test
    /// never started, its fault is the only finding.
    package init(_ world: World, isStrict: Bool, client: ClientRecord? = nil, traceContext: TraceContext? = nil) {
        fault = client?.fault
        var program = Explainer.Program()
        if let client {
            (program.end, program.missingBus) = (client.end, client.missingBus)
            program.foreignLine = { [printed = client.printed] in printed.cause(of: $0, at: $1) }
            program.idleness = { [program = client.program] in program?.explanation(at: $0, after: $1) }
        }
        explainer = Explainer(world, traceContext, program)
        missingBus = client?.missingBus
        lastError = client?.errors.last
        guard client?.hasPlayed ?? true else {
            (rows, self.isStrict) = ([], isStrict)
            return
        }
        let rows = world.rulings.sorted { $0.expectation < $1.expectation }.map { [explainer] ruling in
            let expectation = world.scenario.expectation(of: ruling)
            return Row(expectation: expectation, ruling: explainer.judged(ruling, of: expectation))
        }
        self.isStrict = isStrict
        // A case is not passed by a client of which only this is known: that it has invented nothing.
        let own = world.scenario.expectations.count
        let isJudged = rows.contains { row in
            row.ruling.expectation < own && row.ruling.verdict != .skip
                && (isStrict || !row.expectation.isRecommendation)
        }
        self.rows = rows.filter { isJudged || $0.ruling.expectation < own || $0.ruling.verdict != .pass }
    }

    /// The exit code of the run; nil when nothing was judged.  Recommendations alone cannot fail.
    package var code: ExitCode? {
        if let fault { return fault.verdict == .error ? .internalError : .failure }
        guard !required.isEmpty else { return rows.isEmpty ? nil : .success }
        return Report.Tally(required.map(\.ruling.verdict)).code
    }

    /// The client's fault, if it has one, then the requirements.
    package var findings: [CaseFinding] { (clientFault.map { [$0] } ?? []) + requirements }

    /// The fault of a client under test; nil if it has none.
    package var clientFault: CaseFinding? {
        fault.map { CaseFinding(id: "client", verdict: $0.verdict, why: why($0)) }
    }

    /// A finding for each requirement, in the scenario's order.
    package var requirements: [CaseFinding] { required.map(finding) }

    private func finding(_ row: Row) -> CaseFinding {
        explainer.finding(row.ruling, of: row.expectation, requirement: requirement(of: row))
    }

    private func why(_ fault: ClientFault) -> Reason {
        let lastWords = lastError.map { "the last line of its standard error is \($0.abbreviated.quoted)" }
        let known = [lastWords, missingBus].compactMap(\.self)
        return Reason(seen: fault.reason, cause: known.isEmpty ? nil : known.joined(separator: "; "))
    }

    private var required: [Row] { rows.filter { isStrict || !$0.expectation.isRecommendation } }

    /// A finding for each recommendation, in the scenario's order; none if they are judged like requirements.
    package var recommendations: [CaseFinding] {
        rows.filter { !isStrict && $0.expectation.isRecommendation }.map(finding)
    }

    /// The requirement, with its section unless the expectation passed.
    private func requirement(of row: Row) -> String? {
        let requirement = row.expectation.requirement
        guard row.ruling.verdict != .pass, let known = requirement.flatMap(CollectorCase.init) else {
            return requirement
        }
        return "\(known.id), \(known.requirement)"
    }

    /// How many requirements, and the client's fault, have each verdict: `3 pass, 1 fail, 0 inconclusive`; nil when nothing was judged.
    package var summary: String? {
        guard !rows.isEmpty || fault != nil else { return nil }
        let tally = Report.Tally(required.map(\.ruling.verdict) + (fault.map { [$0.verdict] } ?? []))
        return tally.words(of: [.pass, .fail, .inconclusive] + [.skip, .error].filter { tally[$0] > 0 })
    }
}
