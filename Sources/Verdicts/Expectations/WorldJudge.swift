package import Basics
import Documents
package import ScenarioModel
package import VirtualWorld

/// The judge of a world's expectations, and its rulings up to the present.
package struct WorldJudge: WorldObserver {
    fileprivate var judge: Judge
    /// The verdicts on expectations, in the order of the decisions.
    package fileprivate(set) var rulings: [Judge.Ruling] = []

    package var kinds: [EventName] { judge.kinds }
    package var isDecided: Bool { judge.isDecided }
    package var waitsForConnection: Bool { judge.waitsForConnection }
    package var hasQuestions: Bool { !operatorQuestions.isEmpty }

    package var operatorQuestions: [OperatorQuestion] { judge.operatorQuestions }

    package mutating func observe(_ event: ObservedEvent, at now: Instant) {
        judge.observe(event, at: now, into: &rulings)
    }

    package mutating func observe(_ moment: WorldMoment, at now: Instant) {
        switch moment {
        case .timePassed: judge.timePassed(at: now, into: &rulings)
        case .stalled(let begin, let end): judge.stalled(from: begin, to: end)
        case .clockSetBack: judge.endStalls(by: now)
        case .limitReached: judge.reachedLimit(at: now, into: &rulings)
        case .ended: judge.finish(at: now, into: &rulings)
        }
    }
}

extension World {
    private var judge: WorldJudge? { observer as? WorldJudge }

    /// Starts to judge the expectations of the scenario and of the terms, if there are any.  This does not change what
    /// happens.
    package mutating func judgeExpectations(on terms: Judge.Terms = Judge.Terms()) {
        let hasExpectations = !scenario.expectations.isEmpty || terms.judgesInventions
        observer = hasExpectations ? WorldJudge(judge: Judge(scenario, on: terms)) : nil
    }

    /// The verdicts on expectations, in the order of the decisions; none if nobody judges.
    package var rulings: [Judge.Ruling] { judge?.rulings ?? [] }

    /// How long this machine stalled shortly before an instant; nil if it did not, or nothing is judged.
    package func stall(shortlyBefore instant: Instant) -> Duration? { judge?.judge.stall(shortlyBefore: instant) }

    /// Takes the operator's answer to a question, logs it as a line of the client, and returns its effect.
    package mutating func operatorAnswered(
        _ answer: OperatorQuestion.Answer, to question: OperatorQuestion, line: some JSONWritable
    ) -> OperatorQuestion.Effect {
        changeJudge { $0.judge.setAudience(answer == .shown ? question.expectation : nil) }
        clientReported(line)
        let now = now
        return changeJudge { $0.judge.answer(question, answer, at: now, into: &$0.rulings) } ?? .decided
    }

    @discardableResult
    private mutating func changeJudge<Result>(_ change: (inout WorldJudge) -> Result) -> Result? {
        guard var judge else { return nil }
        defer { observer = judge }
        return change(&judge)
    }
}
