import Scenarios
import Simulation

struct Context: Sendable {
    let formatter: ReasonFormatter
    private(set) var truths: Truths
    /// The times at which this machine stalled.
    var stalls = Stalls()
    private var streams: [Stream]

    init(_ scenario: Scenario, _ terms: Judge.Terms) {
        let memory = terms.asksOperator ? OperatorEvaluator.latency : Truths.latency
        truths = Truths(scenario, arrival: terms.radio.arrival, memory: memory)
        (formatter, streams) = (ReasonFormatter(scenario: scenario), scenario.streams)
    }

    mutating func observe(_ observed: ObservedEvent, at now: Instant) {
        truths.observe(observed, at: now)
        if let index = stream(of: observed) { streams[index].take(observed.count, at: now) }
    }

    /// When the value at an index of the latest event arose.
    func instant(ofValue index: Int, of observed: ObservedEvent, at now: Instant) -> Instant {
        guard let stream = stream(of: observed) else { return now }
        return streams[stream].instant(ofValueBefore: observed.count - 1 - index) ?? now
    }

    private func stream(of observed: ObservedEvent) -> Int? {
        streams.firstIndex { $0.entity == observed.of && $0.kind == observed.kind }
    }
}
