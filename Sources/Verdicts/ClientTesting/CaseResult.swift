package import Arguments
package import CommandSupport
package import Conformance
import Expectations
package import ScenarioRuns
import Scenarios
import Simulation
import TextFormatting
package import VirtualWorld

package struct CaseResult: Sendable {
    package let outcome: Outcome
    /// Nil when the case was not run.
    package let judgement: Judgement?
    /// The number of sensor values that the client reported.
    package let measurements: Int
    /// The exit code of a command that runs nothing else.
    package let code: ExitCode
    /// How this machine disturbed the case, if nothing else kept it from a verdict.
    var disturbance: String?

    /// The result of a judged world, and of its external client if there is one.  Without expectations, the client must
    /// have reported a measurement.
    package init(
        _ world: World, _ judgement: Judgement, of configuration: RunConfiguration, measurements: Int,
        client: ClientRecord? = nil,
        timeline: CaseTimeline?, code: ExitCode
    ) {
        (self.judgement, self.measurements, self.code) = (judgement, measurements, code)
        let (title, duration, findings) = (configuration.scenario.name, world.now.sinceStart, judgement.findings)
        var outcome: Outcome
        if findings.isEmpty {
            let hasMeasured = measurements > 0
            outcome = Outcome(
                hasMeasured ? .pass : .fail, title: title,
                reasons: hasMeasured ? [] : ["the client reported no measurement"],
                replay: configuration.replay, seed: configuration.seed, duration: duration)
        } else {
            outcome = Outcome(
                judging: findings, title: title, replay: configuration.replay, seed: configuration.seed,
                duration: duration)
        }
        outcome.timeline = timeline
        self.outcome = outcome
        guard let client, outcome.verdict == .inconclusive, !code.isInterruption else { return }
        if client.isStarved {
            disturbance = "the client waited \(client.waited) for a CPU"
        } else if client.fault == nil, let stall = world.rulings.compactMap(\.stall).max() {
            disturbance = "this machine stalled for \(stall)"
        }
    }

    package init(
        _ clientRun: BuiltInClientRun, _ judgement: Judgement, of configuration: RunConfiguration, code: ExitCode
    ) {
        self.init(
            clientRun.host.world, judgement, of: configuration, measurements: clientRun.measurements,
            timeline: clientRun.timeline, code: code)
    }

    /// The result of a case that cannot be run.
    package init(unplayed outcome: Outcome, code: ExitCode = .environment) {
        (self.outcome, judgement, measurements, self.code) = (outcome, nil, 0, code)
    }

    /// The lines that a command prints that runs nothing else.
    package func lines(_ paint: Paint, isVirtual: Bool) -> [String] {
        guard let judgement else {
            return outcome.reasons.map { "\(paint(outcome.verdict.rawValue, .warning))  \($0)" }
        }
        var lines = [
            "\(measurements == 0 ? "No" : "\(measurements)") measurement\(measurements == 1 ? "" : "s") in "
                + "\(outcome.duration)" + (isVirtual ? " of virtual time" : "")
        ]
        lines += judgement.lines(paint)
        if let code = judgement.code, code != .success, let replay = outcome.replay {
            lines.append("replay: \(replay)")
        }
        return lines
    }
}
