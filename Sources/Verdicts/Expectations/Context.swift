import Basics
import Devices
import ScenarioModel

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

    /// Takes a line of the client, after it was judged.
    mutating func remember(line: Datum, at now: Instant) { truths.observe(line: line, at: now) }

    /// When the value at an index of the latest event arose.
    func instant(ofValue index: Int, of observed: ObservedEvent, at now: Instant) -> Instant {
        guard let stream = stream(of: observed) else { return now }
        return streams[stream].instant(ofValueBefore: observed.count - 1 - index) ?? now
    }

    private func stream(of observed: ObservedEvent) -> Int? {
        streams.firstIndex { $0.entity == observed.of && $0.kind == observed.kind }
    }
}

/// The times at which the judging machine stalled, and so may itself have delayed events.
struct Stalls: Sendable {
    private struct Stall: Sendable {
        let begin: Instant
        var end: Instant
        let length: Duration
    }

    /// Shorter ones do not count: every machine has them.
    static let shortest = Duration.milliseconds(50)
    private static let most = 10_000

    private var known: [Stall] = []  // in order, without overlap

    mutating func add(from begin: Instant, to end: Instant) {
        let length = begin.duration(to: end)
        guard length >= Self.shortest else { return }
        if known.count == Self.most { known.removeFirst() }
        known.append(Stall(begin: begin, end: end, length: length))
    }

    /// Time was set back to `now`: no stall reaches beyond it.
    mutating func end(by now: Instant) {
        for index in known.indices.reversed() {
            guard known[index].end > now else { return }
            known[index].end = now
        }
    }

    /// The longest one that excuses a failure of an expectation; nil if there is none.
    ///
    /// That is one between two instants that is longer than a tenth of the expectation's time limit. If the expectation limits what
    /// may come, also one that is longer than a tenth of the time from its begin to the failure: meanwhile the client ran on,
    /// and its events came late, or it gave up.
    func excuse(_ expectation: Expectation, from begin: Instant, to failure: Instant) -> Duration? {
        let delay = expectation.opens.event?.delay ?? .zero
        let begin = Instant(nanoseconds: begin.nanoseconds - delay.inNanoseconds)
        let long = expectation.shortestBound.flatMap { longest(from: begin, to: failure, over: $0 / 10) }
        let recent = expectation.limitsEvents ? longest(shortlyBefore: failure) : nil
        return [long, recent].compactMap(\.self).max()
    }

    /// The longest one that is longer than a tenth of the time from its begin to `instant`.
    func longest(shortlyBefore instant: Instant) -> Duration? {
        known.filter { $0.begin <= instant && $0.begin.duration(to: instant) < $0.length * 10 }.map(\.length).max()
    }

    /// The longest one between two instants, if that is longer than `least`.
    func longest(from begin: Instant, to end: Instant, over least: Duration) -> Duration? {
        let longest = known.reversed().prefix { $0.end >= begin }.filter { $0.begin <= end }.map(\.length).max()
        return longest.flatMap { $0 > least ? $0 : nil }
    }
}

extension Expectation {
    /// The shortest of its time limits; nil if it has none.
    var shortestBound: Duration? {
        var bounds = [bound, opens.event.map(\.delay)].compactMap { $0 }
        if case .rate(_, let length, _) = question { bounds.append(length) }
        return bounds.filter { $0 > .zero }.min()
    }

    /// Whether something can come that must not, so that it can fail without a time limit.
    fileprivate var limitsEvents: Bool {
        switch question {
        case .never, .count, .order, .stream: true
        case .seen, .delay, .rate: false
        }
    }
}

/// The times of the values of an entity that sends several in one notification.
///
/// They follow one another at the entity's rate, so that the sizes of notifications and the delays of connection events do
/// not matter; but the last of a notification is at most ``tolerance`` from it, so that missing or extra values do.
struct Stream: Sendable {
    /// Half of the jitter from connection events of 100 ms with one retransmission.
    static let tolerance = Duration.milliseconds(100)

    let entity: EntityReference
    let kind: Event.Kind
    /// The period of the values, in nanoseconds.
    private let step: Double
    private var end: Instant?  // the last value's

    /// A stream of `rate` values per second, more than 0.
    init(_ entity: EntityReference, _ kind: Event.Kind, rate: Int) {
        (self.entity, self.kind, step) = (entity, kind, 1e9 / Double(rate))
    }

    /// The greatest age of the first value of a notification.
    var reach: Duration { nanoseconds(ObservedEvent.maximumSamples) + Self.tolerance }

    /// Takes a notification with a number of values.
    mutating func take(_ count: Int, at now: Instant) {
        let (earliest, latest) = (now.advanced(by: .zero - Self.tolerance), now.advanced(by: Self.tolerance))
        end = end.map { max(earliest, min($0.advanced(by: nanoseconds(count)), latest)) } ?? now
    }

    /// When a value of the last notification arose, by the number of values after it.
    func instant(ofValueBefore later: Int) -> Instant? {
        end.map { $0.advanced(by: .zero - nanoseconds(later)).inLog }
    }

    private func nanoseconds(_ count: Int) -> Duration {
        .nanoseconds(Int64(step * Double(min(count, ObservedEvent.maximumSamples))))
    }
}

extension Scenario {
    /// Its streams, in the order of its devices.
    var streams: [Stream] {
        var streams: [Stream] = []
        for (device, content) in devices.enumerated() {
            for (index, service) in content.services.enumerated() {
                guard let rate = service.description.rate(in: service.configured.configuration), rate > 0,
                    let place = service.mainValue
                else { continue }
                let entity = EntityReference.value(device: device, service: index, value: place)
                let kinds = Event.Kind.allCases.filter(\.carriesStreams)
                streams += kinds.map { Stream(entity, $0, rate: rate) }
            }
        }
        return streams
    }
}
