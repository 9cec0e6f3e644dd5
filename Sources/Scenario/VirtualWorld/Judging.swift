import EventLog
package import Expectations
import Scenarios
package import Simulation
package import TextFormatting
import Timeline

// The script and the judge of expectations observe the events of the log.
extension World {
    /// Starts to judge the scenario's expectations, if it has any.  This does not change what happens.
    package mutating func judgeExpectations(on terms: Judge.Terms = Judge.Terms()) {
        judge = scenario.expectations.isEmpty ? nil : Judge(scenario, on: terms)
    }

    /// Whether the time limits wait for the operator to connect the client.
    package var waitsForConnection: Bool { judge?.waitsForConnection ?? false }

    package var operatorQuestions: [OperatorQuestion] { judge?.operatorQuestions ?? [] }

    /// Takes the operator's answer to a question, logs it as a line of the client, and returns its effect.
    package mutating func operatorAnswered(
        _ answer: OperatorQuestion.Answer, to question: OperatorQuestion, line: some JSONWritable
    ) -> OperatorQuestion.Effect {
        judge?.setAudience(answer == .shown ? question.expectation : nil)
        clientReported(line)
        let now = now
        return judge?.answer(question, answer, at: now, into: &rulings) ?? .decided
    }

    /// The scenario is at its limit: no more events, but the operator can still answer.
    package mutating func reachLimit() {
        let now = now
        judge?.reachedLimit(at: now, into: &rulings)
    }

    package var isDecided: Bool { judge?.isDecided ?? false }

    /// External clients ran on while this machine was stalled. Call this before the events that were late for that
    /// reason.
    package mutating func stalled(from begin: Instant, to end: Instant) { judge?.stalled(from: begin, to: end) }

    /// Decides the expectations whose time has passed.
    package mutating func judgeTime() {
        let now = now
        judge?.timePassed(at: now, into: &rulings)
    }

    /// Decides the remaining expectations: the scenario has ended.
    package mutating func endJudging() {
        let now = now
        judge?.finish(at: now, into: &rulings)
    }

    /// Whether a rule or an expectation depends on a kind of event.
    func isAwaited(_ kind: EventName) -> Bool { script.waits(for: kind) || judge?.waits(for: kind) ?? false }

    /// Reports an event and its value, as JSON, if a rule or an expectation depends on it.
    mutating func report(_ kind: EventName, of entity: EntityReference?, code: UInt8? = nil, json: String? = nil) {
        guard isAwaited(kind) else { return }
        report(ObservedEvent(kind, of: entity, code: code, value: json.flatMap { Datum(json: $0.utf8) }))
    }

    /// Reports a value, with the data that the log leaves out: the samples of an ECG and the number of its lead.
    mutating func reportValue(_ kind: EventName, _ device: Int, _ number: Int, _ octets: [UInt8]) {
        let (entry, json) = (names.entry(number, of: device), names.json(octets, number, of: device))
        var observed = ObservedEvent(
            kind, of: entry?.entity ?? .device(device), value: json.flatMap { Datum(json: $0.utf8) })
        if kind.carriesStreams, let frame = names.samples(octets[...], number, of: device) {
            observed.samples = frame.samples
            if let lead = frame.lead, case .object(let members)? = observed.value {
                observed.value = .object(members + [Datum.Member("lead", .number(Double(lead)))])
            }
        }
        report(observed)
    }

    mutating func report(_ observed: ObservedEvent) {
        if script.waits(for: observed.kind) { observedEvents.added.append(observed) }
        judge(observed)
    }

    /// Reports an event to the judge only: `began` and `ended`, which the script makes itself.
    mutating func judge(_ observed: ObservedEvent) {
        let now = now
        judge?.observe(observed, at: now, into: &rulings)
    }
}
