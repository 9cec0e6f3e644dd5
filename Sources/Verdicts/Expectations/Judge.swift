public import EventLog
public import Scenarios
public import Simulation

/// Judges the expectations of a scenario by what happens: a machine above the event log, without a clock.
///
///     judge.happened(.init(.said, of: .client, value: line), at: now, into: &rulings)
///     judge.finish(at: limit, into: &rulings)
///
/// It is told what the log says, in the log's order; instants count from the start of the scenario.  Whole microseconds
/// count, as the log has them, so that whoever judges a log that was written comes to the same end.
///
/// **Openings.**  An expectation opens at each of its `since`; it fails at the first opening that fails, and passes if
/// one was decided and none failed.  Matches of `since` are counted over the whole scenario; matches of what is
/// expected, and of `until`, are counted from the opening.  What closes an opening by time includes that microsecond;
/// what closes it by an event includes what stands before that event in the log.
///
/// **Streams.**  Each value of a notification of `measurements` or `ecg` is a match of its own: bpm, or microvolts, of
/// which a log has the number only, so that nothing but how many there are can be judged by a log.  All of them come with
/// the notification, but for `rate`: there they follow one another at the rate of their service, and the last of a
/// notification is at most 100 ms from when that came.  A window is judged when no notification, of 255 values at the
/// most, can reach into it any more.
///
/// **Truth.**  What `$truth` compares with is made of the values that reached the client: delivered, indicated, or read.
public struct Judge: Sendable {
    /// What has been decided of an expectation.
    public struct Ruling: Hashable, Sendable {
        /// Its index in the scenario.
        public let expectation: Int
        /// How it ended: `pass`, `fail`, `inconclusive`, or `skip` where it is not asked.
        public let verdict: Verdict
        /// What was expected, what was seen and when; nil when it passed.
        public let why: Reason?
        /// When that was sure.
        public let at: Instant
        /// How long this machine stood still when it would else have failed; nil in all other cases.
        public let standstill: Duration?

        /// Why it did not pass, as a line; nil when it did.
        public var reason: String? { why?.description }
    }

    private var trials: [any Trying]
    private var undecided: [Int]
    private var context: Context
    private let kinds: [Event.Kind]  // that matter
    /// Whether no bound counts yet, since a person has to connect the client first.
    public private(set) var isHeld: Bool
    private var now = Instant.start
    private var isOver = false
    private var audience = Audience.all

    /// Which of the expectations that a person is asked about are judged by what a client says.
    private enum Audience {
        case all
        case only(Int)
        case nobody
    }

    /// The expectations of a scenario that has not started.
    public init(_ scenario: Scenario, on terms: Terms = Terms()) {
        let streams = scenario.streams
        let context = Context(scenario, terms)
        self.context = context
        trials = scenario.expectations.map { $0.trial(streams: streams, terms) }
        undecided = Array(trials.indices)
        isHeld = terms.asksPerson
        let events = scenario.expectations.flatMap(\.events)
        let hasTruth = scenario.expectations.contains { !$0.truths.isEmpty }
        kinds = Event.Kind.allCases.filter { kind in
            events.contains { $0.kind == kind } || hasTruth && context.truths.kinds.contains(kind)
                || kind == .connected && terms.asksPerson
        }
    }

    /// What a client says next is what a person has seen who was asked for this expectation; nil: it is no more than their
    /// answer.  Whoever else is asked about is not judged by it.
    public mutating func heed(_ expectation: Int?) { audience = expectation.map(Audience.only) ?? .nobody }

    /// Whether any expectation has to do with such an event; if none has, it need not be told.
    public func waits(for kind: Event.Kind) -> Bool { kinds.contains(kind) }

    /// Whether nothing is left to decide.
    public var isDecided: Bool { undecided.isEmpty }

    /// Something happened; of no consequence after the end.
    public mutating func happened(_ observed: ObservedEvent, at instant: Instant, into rulings: inout [Ruling]) {
        guard !isOver, waits(for: observed.kind) else { return }
        advance(to: instant)
        if isHeld, observed.kind == .connected {
            isHeld = false
            for index in undecided { trials[index].release(at: now) }
        }
        context.hear(observed, at: now)
        for index in undecided where observed.kind != .said || hears(index) {
            trials[index].hear(observed, at: now, context)
        }
        tell(into: &rulings)
    }

    /// The machine that plays this stood still from one instant to another, while clients outside went on.
    ///
    /// An expectation that gives somebody so much time, and less than ten times as much, can pass then, but not fail: it
    /// is inconclusive.  Less than 50 ms excuse nothing.  This has to be told before what came late.
    public mutating func stoodStill(from begin: Instant, to end: Instant) {
        context.standstills.add(from: begin, to: end)
    }

    /// Decides what time has decided; without it, that waits for what happens next.
    public mutating func timePassed(at instant: Instant, into rulings: inout [Ruling]) {
        guard !isOver else { return }
        advance(to: instant)
        tell(into: &rulings)
    }

    /// The scenario ends, and with it all that is open.
    public mutating func finish(at limit: Instant, into rulings: inout [Ruling]) {
        guard !isOver else { return }
        advance(to: limit)
        for index in undecided { trials[index].finish(at: now, context) }
        tell(into: &rulings)
        isOver = true
    }

    // MARK: A person

    /// What a person is asked now, in the scenario's order.
    public var inquiries: [Inquiry] {
        undecided.compactMap { index in (trials[index] as? AskedTrial)?.inquiry(index) }
    }

    /// A person answers what is asked; of what they see instead, ``happened(_:at:into:)`` has to be told before.
    public mutating func answered(
        _ inquiry: Inquiry, _ answer: Inquiry.Answer, at instant: Instant, into rulings: inout [Ruling]
    ) -> Inquiry.Reception {
        guard !isOver else { return .decided }
        advance(to: instant)
        guard undecided.contains(inquiry.expectation) else { return .decided }
        let reception = change(inquiry.expectation) { [now, context] in
            $0.answer(answer, to: inquiry, at: now, context)
        }
        tell(into: &rulings)
        return reception ?? .decided
    }

    /// The scenario is at its limit: nothing happens any more, but what is asked can still be answered.
    public mutating func reachedLimit(at instant: Instant, into rulings: inout [Ruling]) {
        guard !isOver else { return }
        advance(to: instant)
        for index in undecided { change(index) { [now] in $0.reachedLimit(at: now) } }
        tell(into: &rulings)
    }

    private func hears(_ index: Int) -> Bool {
        switch audience {
        case .all: true
        case .only(index): true
        case .only, .nobody: !(trials[index] is AskedTrial)
        }
    }

    /// Changes a trial by which a person is asked; nil when it is none.
    @discardableResult
    private mutating func change<Result>(_ index: Int, _ change: (inout AskedTrial) -> Result) -> Result? {
        guard var trial = trials[index] as? AskedTrial else { return nil }
        defer { trials[index] = trial }
        return change(&trial)
    }

    private mutating func advance(to instant: Instant) {
        now = max(now, Instant(nanoseconds: instant.nanoseconds / 1000 * 1000))
        for index in undecided { trials[index].advance(to: now, context) }
    }

    /// Adds what is new, in the order in which it was sure.
    private mutating func tell(into rulings: inout [Ruling]) {
        let decided = undecided.compactMap { index in
            trials[index].outcome.map { outcome in
                Ruling(
                    expectation: index, verdict: outcome.verdict, why: outcome.reason, at: outcome.at,
                    standstill: outcome.standstill)
            }
        }
        guard !decided.isEmpty else { return }
        undecided.removeAll { trials[$0].outcome != nil }
        rulings += decided.sorted { ($0.at, $0.expectation) < ($1.at, $1.expectation) }
    }
}
