package import Basics
import ScenarioModel
package import VirtualWorld

extension World {
    private var judge: Judge? { observer as? Judge }

    /// Starts to judge the expectations of the scenario and of the terms, if there are any.  This does not change what
    /// happens.
    package mutating func judgeExpectations(on terms: Judge.Terms = Judge.Terms()) {
        let hasExpectations = !scenario.expectations.isEmpty || terms.judgesInventions
        observer = hasExpectations ? Judge(scenario, on: terms) : nil
    }

    /// The verdicts on expectations, in the order of the decisions; none if nobody judges.
    package var rulings: [Judge.Ruling] { judge?.rulings ?? [] }

    /// What explains failures about lines; nil if what the client shows is not judged.
    package var displays: DisplayHistory? { judge?.displays }

    /// How long this machine stalled shortly before an instant; nil if it did not, or nothing is judged.
    package func stall(shortlyBefore instant: Instant) -> Duration? { judge?.stall(shortlyBefore: instant) }

    /// Takes the operator's answer to a question, logs it as a line of the client, and returns its effect.
    package mutating func operatorAnswered(
        _ answer: OperatorQuestion.Answer, to question: OperatorQuestion, line: some ClientReport
    ) -> OperatorQuestion.Effect {
        changeJudge { $0.setAudience(answer == .shown ? question.expectation : nil) }
        clientReported(line)
        let now = now
        return changeJudge { $0.answer(question, answer, at: now) } ?? .decided
    }

    @discardableResult
    private mutating func changeJudge<Result>(_ change: (inout Judge) -> Result) -> Result? {
        guard var judge else { return nil }
        defer { observer = judge }
        return change(&judge)
    }
}
