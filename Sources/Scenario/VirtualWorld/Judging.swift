import EventLog
public import Expectations
import Scenarios
public import Simulation
public import Spelling
import Timeline

// Who is told what the event log says: the script, and who judges the expectations.
extension World {
    /// From now on the scenario's expectations are judged, if it has any.
    ///
    /// That changes nothing of what happens.
    public mutating func judgeExpectations(on terms: Judge.Terms = Judge.Terms()) {
        judge = scenario.expectations.isEmpty ? nil : Judge(scenario, on: terms)
    }

    /// Whether no bound counts yet, since a person has to connect their client first.
    public var waitsForConnection: Bool { judge?.isHeld ?? false }

    /// What a person is asked now.
    public var inquiries: [Inquiry] { judge?.inquiries ?? [] }

    /// A person answers what is asked, in the words of `line`, which become something that the client said.
    public mutating func personSaid(
        _ answer: Inquiry.Answer, to inquiry: Inquiry, line: some JSONWritable
    ) -> Inquiry.Reception {
        judge?.heed(answer == .shown ? inquiry.expectation : nil)
        clientSaid(line)
        let now = now
        return judge?.answered(inquiry, answer, at: now, into: &rulings) ?? .decided
    }

    /// The scenario is at its limit: nothing happens any more, but what is asked can still be answered.
    public mutating func reachLimit() {
        let now = now
        judge?.reachedLimit(at: now, into: &rulings)
    }

    /// Whether there were expectations, and nothing is left to decide of them.
    public var isDecided: Bool { judge?.isDecided ?? false }

    /// The machine stood still from one instant to another, while clients outside went on; before what came late.
    public mutating func stoodStill(from begin: Instant, to end: Instant) { judge?.stoodStill(from: begin, to: end) }

    /// Decides what the present has decided; of interest where somebody waits for the last verdict.
    public mutating func judgeTime() {
        let now = now
        judge?.timePassed(at: now, into: &rulings)
    }

    /// Decides what is left: the scenario is at its end.
    public mutating func endJudging() {
        let now = now
        judge?.finish(at: now, into: &rulings)
    }

    /// Whether a rule or an expectation waits for such an event.
    func isAwaited(_ kind: EventName) -> Bool { script.waits(for: kind) || judge?.waits(for: kind) ?? false }

    /// Tells those who wait for such an event what the log says of it, and its value or line, as JSON.
    mutating func tell(_ kind: EventName, of entity: EntityReference?, code: UInt8? = nil, json: String? = nil) {
        guard isAwaited(kind) else { return }
        tell(ObservedEvent(kind, of: entity, code: code, value: json.flatMap { Datum(json: $0.utf8) }))
    }

    /// Tells them of a value, and what the log leaves out: the samples of an ECG and the number of its lead.
    mutating func tellValue(_ kind: EventName, _ device: Int, _ number: Int, _ octets: [UInt8]) {
        let (entry, json) = (names.entry(number, of: device), names.json(octets, number, of: device))
        var observed = ObservedEvent(
            kind, of: entry?.entity ?? .device(device), value: json.flatMap { Datum(json: $0.utf8) })
        if kind.carriesStreams, let frame = names.samples(octets[...], number, of: device) {
            observed.samples = frame.samples
            if let lead = frame.lead, case .object(let members)? = observed.value {
                observed.value = .object(members + [Datum.Member("lead", .number(Double(lead)))])
            }
        }
        tell(observed)
    }

    /// Tells them of what happened.
    mutating func tell(_ observed: ObservedEvent) {
        if script.waits(for: observed.kind) { observedEvents.append(observed) }
        tellJudge(observed)
    }

    /// Tells who judges what the script knows by itself.
    mutating func tellJudge(_ observed: ObservedEvent) {
        let now = now
        judge?.happened(observed, at: now, into: &rulings)
    }
}
