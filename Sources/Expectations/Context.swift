import Scenarios
import Simulation

/// What all trials look at.
struct Context: Sendable {
    let wording: Wording
    var truths: Truths
    private let streams: [Stream]

    init(_ scenario: Scenario, _ streams: [Stream]) {
        (wording, truths, self.streams) = (Wording(scenario: scenario), Truths(scenario), streams)
    }

    /// When one of the values of a happening arose: the last of them now, the others evenly before it.
    func instant(ofValue index: Int, of happening: Happening, at now: Instant) -> Instant {
        let behind = happening.count - 1 - index
        guard behind > 0, let stream = streams.first(where: { $0.part == happening.of }) else { return now }
        return stream.instant(ofValueBefore: behind, deliveredAt: now)
    }
}
