import Arguments
import Conformance
import Expectations
import Scenarios
import Simulation
import Spelling
import VirtualWorld

/// What came of a case that was played once.
struct Course: Sendable {
    let outcome: Outcome
    /// Nil when it was not played.
    let judgement: Judgement?
    /// How many values of sensors the client has taken in.
    let measurements: Int
    /// How a command ends that plays nothing else.
    let code: ExitCode
    /// What this machine did, if that alone keeps the case from being decided.
    var disturbance: String?

    /// Of a scenario whose judging has ended, and of the client outside that it was played to; where nothing is
    /// required, the client must have taken in something.
    init(
        _ world: World, _ judgement: Judgement, of played: Played, measurements: Int, client: ClientRecord? = nil,
        timeline: CaseTimeline?, code: ExitCode
    ) {
        (self.judgement, self.measurements, self.code) = (judgement, measurements, code)
        let (title, duration, findings) = (played.scenario.name, world.now.sinceStart, judgement.findings)
        var outcome: Outcome
        if findings.isEmpty {
            let isHeard = measurements > 0
            outcome = Outcome(
                isHeard ? .pass : .fail, title: title, reasons: isHeard ? [] : ["the client took in no value"],
                replay: played.replay, seed: played.seed, duration: duration)
        } else {
            outcome = Outcome(
                judging: findings, title: title, replay: played.replay, seed: played.seed, duration: duration)
        }
        outcome.timeline = timeline
        self.outcome = outcome
        guard let client, outcome.verdict == .inconclusive, !code.isInterruption else { return }
        if client.isStarved {
            disturbance = "the client waited \(client.waited) for a processor"
        } else if client.fault == nil, let standstill = world.rulings.compactMap(\.standstill).max() {
            disturbance = "this machine stood still for \(standstill)"
        }
    }

    /// Of a rehearsal that is over.
    init(_ rehearsal: Rehearsal, _ judgement: Judgement, of played: Played, code: ExitCode) {
        self.init(
            rehearsal.world, judgement, of: played, measurements: rehearsal.measurements,
            timeline: rehearsal.timeline, code: code)
    }

    /// Of a case that cannot be played.
    init(unplayed outcome: Outcome, code: ExitCode = .environment) {
        (self.outcome, judgement, measurements, self.code) = (outcome, nil, 0, code)
    }

    /// What a command says that plays nothing else.
    func lines(_ paint: Paint, isVirtual: Bool) -> [String] {
        guard let judgement else {
            return outcome.reasons.map { "\(paint(outcome.verdict.rawValue, .warning))  \($0)" }
        }
        var lines = [
            "\(measurements) measurement\(measurements == 1 ? "" : "s") in \(outcome.duration)"
                + (isVirtual ? " of virtual time" : "")
        ]
        lines += judgement.lines(paint)
        if let code = judgement.code, code != .success, let replay = outcome.replay {
            lines.append("replay: \(replay)")
        }
        return lines
    }
}
