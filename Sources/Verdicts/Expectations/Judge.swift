package import Basics
package import ScenarioModel
package import VirtualWorld

/// Judges the expectations of a scenario by the events of its log.  It has no clock.
///
///     judge.observe(.init(.said, of: .client, value: line), at: now)
///     judge.observe(.ended, at: limit)
///
/// Events come in the log's order; instants count from the start of the scenario.  They are rounded down to microseconds
/// as in the log, so that a stored log gives the same verdicts.
///
/// **Openings.**  An expectation opens at each match of `since`.  It fails at the first opening that fails, and passes if
/// at least one was decided and none failed.  Matches of `since` count over the whole scenario; those of the expected
/// events and of `until` count from the opening.  A time that closes an opening belongs to it; of an event that closes
/// it, only earlier events of the log do.
///
/// **Streams.**  Each value in a notification of `measurements` (bpm) or `ecg` (microvolts) is one match.  Since a log has
/// only the number of the microvolts, a stored log supports only counts of them.  The values come with the notification,
/// except for `rate`: there they follow one another at the rate of their service, and the last is at most 100 ms from
/// the notification.  A window is judged when no notification, of at most 255 values, can reach into it any more.
///
/// **Truth.**  `$truth` compares with the values that reached the client: delivered, indicated or read.  If the delivery of
/// the value opens the expectation, the client must show that value, not one that was delivered later; a stream's lines may
/// leave out values, so that any true value answers.
package struct Judge: WorldObserver {
    package struct Ruling: Hashable, Sendable {
        package let expectation: Int
        /// `pass`, `fail`, `inconclusive`, or `skip` for an expectation that cannot be judged here.
        package let verdict: Verdict
        /// What was expected, what was observed and when; nil for a pass.
        package let why: Reason?
        package let at: Instant
        /// How long this machine stalled, if only that excuses a failure.
        package let stall: Duration?
        /// What a failure depends on.
        package var facts: [Fact] = []
        /// The subject of a failure; nil for what a client shows without a delivery.
        package var miss: Miss?
        /// Whether what opens the expectation never came.
        package var isUnopened = false

        /// Why it did not pass, on one line; nil for a pass.
        package var reason: String? { why?.description }

        /// The same as a fail.
        package func failed(_ why: Reason, showing facts: [Fact]) -> Ruling {
            Ruling(
                expectation: expectation, verdict: .fail, why: why, at: at, stall: nil, facts: facts, isUnopened: true)
        }
    }

    /// The verdicts on expectations, in the order of the decisions.
    package private(set) var rulings: [Ruling] = []
    /// The kinds of events on which expectations depend; the caller may leave out others.
    package let kinds: [Event.Kind]
    private var expectations: OpenExpectations
    private var context: Context
    /// Whether the time limits wait for the operator to connect the client.
    package private(set) var waitsForConnection: Bool
    private var now = Instant.start
    private var isOver = false
    private var audience = Audience.all
    /// Nil if it is not judged.
    private var inventions: InventionWatch?

    /// The questions to the operator that the next line of the client answers.
    private enum Audience {
        case all
        case only(Int)
        case nobody
    }

    package init(_ scenario: Scenario, on terms: Terms = Terms()) {
        let context = Context(scenario, terms)
        self.context = context
        expectations = OpenExpectations(scenario, terms)
        waitsForConnection = terms.asksOperator
        let events = scenario.expectations.flatMap(\.events)
        inventions =
            terms.judgesInventions && !terms.asksOperator ? InventionWatch(scenario, arrival: terms.radio.arrival) : nil
        let hasTruth = scenario.expectations.contains { !$0.truths.isEmpty }
        kinds = Event.Kind.allCases.filter { [inventions] kind in
            inventions.map { kind == .said || $0.kinds.contains(kind) } ?? false || events.contains { $0.kind == kind }
                || hasTruth && context.truths.kinds.contains(kind)
                || kind == .connected && terms.asksOperator
        }
    }

    /// Declares the next line of the client to be an operator's answer about one expectation, or about none if it is nil;
    /// it does not count for other questions.
    package mutating func setAudience(_ expectation: Int?) { audience = expectation.map(Audience.only) ?? .nobody }

    /// Whether all expectations of the scenario have a verdict; there must be one.
    package var isDecided: Bool { expectations.undecided == 0 && expectations.count > 0 }

    /// What explains failures about lines; nil if what the client shows is not judged.
    package var displays: DisplayHistory? { inventions?.history }

    /// How often an evaluator of an expectation had to act: a measure of the cost.
    package var turns: Int { expectations.turns }

    /// Takes an event; without effect after the end.
    package mutating func observe(_ observed: ObservedEvent, at instant: Instant) {
        guard !isOver, kinds.contains(observed.kind) else { return }
        advance(to: instant)
        if waitsForConnection, observed.kind == .connected {
            waitsForConnection = false
            for index in expectations.pending { expectations.turn(index) { [now] in $0.release(at: now) } }
        }
        context.observe(observed, at: now)
        inventions?.observe(observed, at: now)
        for index in expectations.concerned(by: observed) where observed.kind != .said || observesLines(index) {
            expectations.turn(index) { [now, context] in $0.observe(observed, at: now, context) }
        }
        if observed.kind == .said, let line = observed.value { context.remember(line: line, at: now) }
        report()
    }

    /// Takes a moment; at `.ended`, decides all that is open.
    ///
    /// After a stall of at least 50 ms, an expectation whose time limit is less than ten times as long can pass, but not fail: it
    /// is inconclusive.
    package mutating func observe(_ moment: WorldMoment, at instant: Instant) {
        switch moment {
        case .stalled(let begin, let end): context.stalls.add(from: begin, to: end)
        case .clockSetBack: context.stalls.end(by: instant)
        case .timePassed, .limitReached, .ended:
            guard !isOver else { return }
            advance(to: instant)
            if case .limitReached = moment {
                for index in expectations.pending { change(index) { [now] in $0.reachedLimit(at: now) } }
            }
            guard case .ended = moment else { return report() }
            for index in expectations.pending {
                expectations.turn(index) { [now, context] in $0.finish(at: now, context) }
            }
            report()
            if let ruling = inventions?.ruling(expectations.count, at: now, context) { rulings.append(ruling) }
            isOver = true
        }
    }

    /// How long this machine stalled, if that was so shortly before an instant that a client may have given up for that reason:
    /// less than ten times as long after the stall began.  Nil if it did not.
    package func stall(shortlyBefore instant: Instant) -> Duration? { context.stalls.longest(shortlyBefore: instant) }

    // MARK: Operator

    /// The present questions to the operator, in the scenario's order.
    package var operatorQuestions: [OperatorQuestion] {
        expectations.pending.compactMap { index in (expectations[index] as? OperatorEvaluator)?.question(index) }
    }

    package var hasQuestions: Bool { !operatorQuestions.isEmpty }

    /// Takes an operator's answer; for `.shown`, pass the line to `observe` before.
    ///
    /// - Returns: Whether the answer decides the question.
    package mutating func answer(
        _ question: OperatorQuestion, _ answer: OperatorQuestion.Answer, at instant: Instant
    ) -> OperatorQuestion.Effect {
        guard !isOver else { return .decided }
        advance(to: instant)
        guard let index = expectations.evaluator(of: question.expectation), expectations[index].outcome == nil else {
            return .decided
        }
        let reception = change(index) { [now, context] in
            $0.answer(answer, to: question, at: now, context)
        }
        report()
        return reception ?? .decided
    }

    private func observesLines(_ index: Int) -> Bool {
        switch audience {
        case .all: true
        case .only(index): true
        case .only, .nobody: !(expectations[index] is OperatorEvaluator)
        }
    }

    /// Changes an operator's evaluator; nil for another one.
    @discardableResult
    private mutating func change<Result>(_ index: Int, _ change: (inout OperatorEvaluator) -> Result) -> Result? {
        guard var evaluator = expectations[index] as? OperatorEvaluator else { return nil }
        return expectations.turn(index) { stored in
            defer { stored = evaluator }
            return change(&evaluator)
        }
    }

    private mutating func advance(to instant: Instant) {
        now = max(now, instant.inLog)
        expectations.advance(to: now, context)
    }

    private mutating func report() { rulings += expectations.takeRulings() }
}

extension Judge {
    /// The subject of a failure.
    package struct Miss: Hashable, Sendable {
        /// When its time began.
        package let opened: Instant
        /// The pattern of the missing line, with the values that were asked for in place of `$truth`; nil if it is about no line.
        package let line: Matcher?
        /// Whether something came too often, or that must not come.
        package let isExcess: Bool
        /// The likely mistake in the closest line, if nothing else explains it.
        package let hint: Cause?
    }

    /// The conditions under which expectations are judged.
    package struct Terms: Sendable {
        /// The tolerance for lines of a client: it extends `within` of `seen`.
        package var grace: Duration
        /// How the devices reach the client; expectations of events that cannot be observed there are skipped.
        package var radio: RadioKind
        /// Whether an operator reports what the client shows.
        ///
        /// Expectations of lines then become an ``OperatorQuestion``, and `within` counts from the first connection, which
        /// the operator has to make.
        package var asksOperator: Bool
        /// Whether a client must not show what was not delivered to it: `Expectation.nothingInvented`.
        package var judgesInventions: Bool
        /// What the client shows; expectations of other lines are skipped.
        package var shown: ShownLines

        /// The conditions for a client under test: its lines come in real time, and it can be wrong.
        package static let clientUnderTest = Terms(grace: .milliseconds(500), judgesInventions: true)

        /// By default, the conditions for a client that prints lines.
        package init(
            grace: Duration = .zero, radio: RadioKind = .virtual, asksOperator: Bool = false,
            judgesInventions: Bool = false, shown: ShownLines = .all
        ) {
            (self.grace, self.radio, self.asksOperator) = (grace, radio, asksOperator)
            (self.judgesInventions, self.shown) = (judgesInventions, shown)
        }

        /// Why an expectation cannot be judged; nil if it can.
        func unsupportedReason(for expectation: Expectation) -> String? {
            for event in expectation.events {
                if let reason = radio.unobservableReason(for: event.kind) {
                    return "\(event.kind.rawValue) cannot be observed: \(reason)"
                }
            }
            guard expectation.events.allSatisfy(shown.contains) else { return shown.reason }
            return asksOperator ? expectation.reasonNotToAsk : nil
        }
    }
}

extension Expectation {
    /// Why an operator cannot answer it; nil if one can, or need not.
    fileprivate var reasonNotToAsk: String? {
        guard events.contains(where: { $0.kind == .said }) else { return nil }
        switch question {
        case .seen(let event, _), .never(let event):
            guard event.kind == .said, opens.event?.kind != .said, until?.event?.kind != .said else {
                return "it begins or ends with a line, and the time of an operator's answer is not that of the display"
            }
            guard case .each = event.occurrence, event.delay <= .zero else {
                return "an operator cannot count what a client shows"
            }
            if case .never = question, !truths.isEmpty {
                return "an operator does not know the value that must not be shown"
            }
            return nil
        case .count, .rate, .stream: return "an operator cannot count what a client shows"
        case .delay, .order: return "the time of an operator's answer is not that of the display"
        }
    }
}
