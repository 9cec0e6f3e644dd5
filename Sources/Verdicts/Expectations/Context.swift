import Scenarios
import Simulation

/// What all trials look at.
struct Context: Sendable {
    let wording: Wording
    private(set) var truths: Truths
    /// When this machine stood still.
    var standstills = Standstills()
    private var streams: [Stream]

    init(_ scenario: Scenario, _ terms: Judge.Terms) {
        let memory = terms.asksPerson ? AskedTrial.latency : Truths.latency
        truths = Truths(scenario, arrival: terms.radio.arrival, memory: memory)
        (wording, streams) = (Wording(scenario: scenario), scenario.streams)
    }

    /// Takes in what all trials will hear next.
    mutating func hear(_ observed: ObservedEvent, at now: Instant) {
        truths.hear(observed, at: now)
        if let index = stream(of: observed) { streams[index].take(observed.count, at: now) }
    }

    /// When one of the values arose of the happening that was heard last.
    func instant(ofValue index: Int, of observed: ObservedEvent, at now: Instant) -> Instant {
        guard let stream = stream(of: observed) else { return now }
        return streams[stream].instant(ofValueBefore: observed.count - 1 - index) ?? now
    }

    private func stream(of observed: ObservedEvent) -> Int? {
        streams.firstIndex { $0.part == observed.of && $0.kind == observed.kind }
    }
}
