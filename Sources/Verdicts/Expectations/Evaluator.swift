import Basics
import ScenarioModel

protocol ExpectationEvaluator: Sendable {
    /// The verdict; nil while it is not decided.
    var outcome: Outcome? { get }
    /// Performs what is due by `now`; an opening that closes now stays open, as more events may follow at this instant.
    mutating func advance(to now: Instant, _ context: Context)
    mutating func observe(_ observed: ObservedEvent, at now: Instant, _ context: Context)
    /// When `advance` next has an effect; `.never` if only events have one.
    var nextDue: Instant { get }
    /// Whether all its events matter, not only those that open it.
    var isOpen: Bool { get }
    mutating func finish(at now: Instant, _ context: Context)
    /// Starts the time limits, after the first connection.
    mutating func release(at now: Instant)
}

struct Outcome: Sendable {
    let verdict: Verdict
    let reason: Reason?
    let at: Instant
    /// How long this machine stalled, if only that excuses a failure.
    var stall: Duration?
    /// What a failure depends on.
    var facts: [Fact] = []
    var miss: Judge.Miss?
    /// Whether what opens the expectation never came.
    var isUnopened = false
}

/// Opens an expectation, passes matching events to its condition, and combines the decisions into a verdict.
struct Evaluator<Condition: OpeningCondition>: ExpectationEvaluator {
    private let expectation: Expectation
    private var condition: Condition
    private var since: MomentWatch
    private var events: [EventWatch]
    private let until: Moment?
    private var untils = 0  // matches of `until`
    private let within: Duration?
    /// The percentage of the openings that must pass.
    private let percentile: Double
    private let closesAtLimit: Bool
    /// Those of which a line can answer one opening and not another.
    private let askedTruths: [Matcher.Truth]
    private var isHeld: Bool

    private var openings: Condition.Openings = []
    private var decisions: [Decision] = []
    private var openingState = OpeningState.neverCame
    private var isOverrun = false
    private var passed = 0
    private var failed = 0
    private var firstFailure: Decision?
    private var excused = 0  // failed while this machine stalled
    private var firstExcused: (decision: Decision, stall: Duration)?
    private var last = Instant.start  // of the last decision
    private var nearMisses = NearMisses()
    private(set) var outcome: Outcome?

    /// With a reason to skip the expectation, the outcome is known.
    init(_ expectation: Expectation, _ condition: Condition, on terms: Judge.Terms, skippedBecause reason: String?) {
        (self.expectation, self.condition, isHeld) = (expectation, condition, terms.asksOperator)
        (percentile, events) = (expectation.percentile, expectation.expected.map(EventWatch.init))
        (since, until) = (MomentWatch(expectation.opens), expectation.until)
        let isSeenLine = if case .seen(let event, _) = expectation.question { event.kind == .said } else { false }
        within = expectation.bound.map { isSeenLine ? $0 + terms.grace : $0 }
        (closesAtLimit, askedTruths) = (expectation.closesAtLimit, expectation.askedTruths)
        outcome = reason.map { Outcome(verdict: .skip, reason: Reason(seen: $0), at: .start) }
    }

    // MARK: Input

    mutating func advance(to now: Instant, _ context: Context) {
        while outcome == nil, let turn = nextTurn, turn.due < now || turn.due == now && turn != .close(now) {
            last = turn.due
            switch turn {
            case .open:
                since.takeDue()
                open(at: turn.due, asking: AskedValues(askedTruths, by: nil, at: turn.due, context.truths))
            case .match(let event, _):
                guard let match = events[event].takeFirst() else { break }
                condition.came([event], match.value, at: turn.due, &openings, into: &decisions)
            case .close: closeFirst()
            }
            settle(context)
        }
        condition.timePassed(at: now, &openings, into: &decisions)
        settle(context)
    }

    mutating func observe(_ observed: ObservedEvent, at now: Instant, _ context: Context) {
        guard outcome == nil else { return }
        let isTrue: TruthTest = { context.truths.hold($0, $1, at: now) }
        last = now
        // The event that closes an opening does not belong to it.
        if let event = until?.event { close(event.matches(in: observed, isTrue: isTrue), of: event, at: now) }
        if askedTruths.isEmpty { match(observed, at: now, context, isTrue) } else { answer(observed, at: now, context) }
        if since.observe(observed, at: now, isTrue) {
            open(at: now, asking: AskedValues(askedTruths, by: observed, at: now, context.truths))
        }
        settle(context)
    }

    mutating func finish(at now: Instant, _ context: Context) {
        guard outcome == nil else { return }
        last = now
        while let first = openings.first, closesAtLimit || due(of: first) <= now { closeFirst(by: now) }
        settle(context)
        guard outcome == nil else { return }
        outcome =
            verdict(context)
            ?? Outcome(
                verdict: .inconclusive,
                reason: context.formatter.inconclusive(expectation, openingState, at: now),
                at: now, isUnopened: openingState.isUnopened)
    }

    mutating func release(at now: Instant) {
        guard isHeld else { return }
        isHeld = false
        guard let within else { return }
        for index in openings.indices {
            openings[index].closes = min(openings[index].closes, now.advanced(by: within))
        }
    }

    // MARK: Demand

    var nextDue: Instant {
        guard outcome == nil else { return .never }
        return min(nextTurn?.due ?? .never, condition.nextDue(openings))
    }

    /// A delayed event may count in an opening that comes after it.
    var isOpen: Bool { !openings.isEmpty || events.contains { $0.event.delay > .zero } }

    // MARK: Turns

    /// A timed step, in the order of steps at one instant.
    private enum Turn: Hashable {
        case open(Instant)
        case match(event: Int, Instant)
        case close(Instant)

        var due: Instant {
            switch self {
            case .open(let due), .match(_, let due), .close(let due): due
            }
        }
    }

    private var nextTurn: Turn? {
        var next = since.nextDue.map(Turn.open)
        for (index, event) in events.enumerated() {
            guard let match = event.pending.first, match.due < next?.due ?? .never else { continue }
            next = .match(event: index, match.due)
        }
        guard let first = openings.first, due(of: first) < next?.due ?? .never else { return next }
        return .close(due(of: first))
    }

    private func due(of opening: Opening<Condition.Progress>) -> Instant {
        opening.closes.advanced(by: condition.patience)
    }

    private mutating func open(at now: Instant, asking values: AskedValues) {
        var closes = until?.clockTime(after: now, origin: .start) ?? .never
        guard closes >= now else {
            if case .neverCame = openingState { openingState = .cameLate(now, over: closes) }
            return
        }
        if let within, !isHeld { closes = min(closes, now.advanced(by: within)) }
        openingState = .opened(now)
        guard openings.count < Condition.maximumOpenings else {
            isOverrun = true
            return
        }
        openings.append(
            Opening(
                opened: now, closes: closes, untils: untils, asked: values,
                progress: condition.beginning))
    }

    private mutating func closeFirst(by now: Instant = .never) {
        guard let first = openings.popFirst() else { return }
        if var decision = condition.close(first, at: min(due(of: first), now)) {
            decision.asked = first.asked
            decisions.append(decision)
        }
    }

    /// Closes the openings that have all their matches of `until`.
    private mutating func close(_ matches: Int, of event: Event, at now: Instant) {
        untils += matches
        guard matches > 0 else { return }
        func isClosed(_ opening: Opening<Condition.Progress>) -> Bool {
            untils - opening.untils >= event.occurrence.first
        }
        // The first opening has the most matches.
        for index in openings.indices.prefix(while: { isClosed(openings[$0]) }) {
            openings[index].closes = min(openings[index].closes, now.advanced(by: event.delay))
        }
        while event.delay <= .zero, let first = openings.first, isClosed(first), due(of: first) <= now { closeFirst() }
    }

    /// Passes the matching events of each value to the condition.
    private mutating func match(_ observed: ObservedEvent, at now: Instant, _ context: Context, _ isTrue: TruthTest) {
        guard events.contains(where: { $0.event.concerns(observed) }) else { return }
        for value in 0..<observed.count {
            let instant = context.instant(ofValue: value, of: observed, at: now)
            let came = events.indices.filter { index in
                let event = events[index].event
                guard event.concerns(observed) else { return false }
                let fits = event.fits(observed, at: value, isTrue: isTrue)
                nearMisses.see(observed, event, at: value, now, fits: fits)
                guard fits, event.delay > .zero else { return fits }
                let (due, value) = (now.advanced(by: event.delay), instant.advanced(by: event.delay))
                events[index].add(EventWatch.Match(due: due, value: value))
                return false
            }
            guard !came.isEmpty else { continue }
            condition.came(came, instant, at: now, &openings, into: &decisions)
            // Later values are not the reason of the failure.
            if percentile >= 100, decisions.contains(where: { $0.fault != nil }) { return }
        }
    }

    /// Decides the openings of which each accepts other values: those that its event delivered, but no later ones, or those
    /// delivered since.
    private mutating func answer(_ observed: ObservedEvent, at now: Instant, _ context: Context) {
        guard let event = events.first?.event, event.concerns(observed) else { return }
        let count = openings.count
        openings.removeAll { opening in
            let isAnswer = event.fits(observed, at: 0) { truth, datum in
                opening.asked.isShown(truth, by: datum, context.truths, at: now)
            }
            if isAnswer { decisions.append(Decision(opened: opening.opened, at: now, fault: nil)) }
            return isAnswer
        }
        nearMisses.see(observed, event, at: 0, now, fits: openings.count < count)
    }

    // MARK: Verdict

    /// Counts the decisions, and sets the verdict as soon as nothing can change it.
    private mutating func settle(_ context: Context) {
        guard outcome == nil, !decisions.isEmpty || openings.isEmpty else { return }
        for decision in decisions.sorted(by: { ($0.at, $0.opened) < ($1.at, $1.opened) }) {
            guard decision.fault != nil else {
                passed += 1
                continue
            }
            if let stall = excuse(decision, context) {
                excused += 1
                firstExcused = firstExcused ?? (decision, stall)
                continue
            }
            failed += 1
            firstFailure = firstFailure ?? decision
        }
        decisions.removeAll(keepingCapacity: true)
        if let firstFailure, percentile >= 100 {
            outcome = failure(firstFailure, at: firstFailure.at, context)
        } else if openings.isEmpty, since.isExhausted {
            outcome = verdict(context)
        }
    }

    private func verdict(_ context: Context) -> Outcome? {
        guard passed + failed + excused > 0 else { return nil }
        if let firstFailure, Double(passed) * 100 < percentile * Double(passed + failed) {
            return failure(firstFailure, at: last, context)
        }
        if let firstExcused, Double(passed) * 100 < percentile * Double(passed + failed + excused) {
            let (decision, stall) = firstExcused
            let reason = reason(decision, context)
            return Outcome(
                verdict: .inconclusive, reason: context.formatter.excused(reason, stall), at: last,
                stall: stall)
        }
        guard !isOverrun, !since.isOverrun, !events.contains(where: \.isOverrun) else {
            return Outcome(verdict: .inconclusive, reason: context.formatter.overrun(expectation), at: last)
        }
        return Outcome(verdict: .pass, reason: nil, at: last)
    }

    /// How long this machine stalled during a failed opening, or its window that failed, if that excuses the failure.
    private func excuse(_ decision: Decision, _ context: Context) -> Duration? {
        let begin = if case .window(let begin, _, _)? = decision.fault { begin } else { decision.opened }
        return context.stalls.excuse(expectation, from: begin, to: decision.at)
    }

    private func failure(_ decision: Decision, at now: Instant, _ context: Context) -> Outcome {
        Outcome(
            verdict: .fail, reason: reason(decision, context), at: now,
            facts: context.formatter.facts(expectation, decision, nearMisses, context.truths),
            miss: Judge.Miss(
                opened: decision.opened, line: expectation.expected.first?.lineMatcher?.asking(for: decision.asked),
                isExcess: expectation.isExceeded(by: decision.fault),
                hint: context.formatter.hint(expectation, decision, nearMisses, context.truths)))
    }

    private func reason(_ decision: Decision, _ context: Context) -> Reason {
        let share = percentile < 100 ? (passed, passed + failed) : nil
        return context.formatter.failure(expectation, decision, nearMisses, share: share, context.truths)
    }
}

/// The openings of an expectation without decisions.
enum OpeningState: Sendable {
    /// `since` did not match.
    case neverCame
    /// `since` first matched after `until`.
    case cameLate(Instant, over: Instant)
    /// It opened, the last time at this instant.
    case opened(Instant)

    var isUnopened: Bool { if case .neverCame = self { true } else { false } }
}

/// The last events that came close to an expectation.
struct NearMisses: Sendable {
    struct Observation: Sendable {
        let instant: Instant
        let observed: ObservedEvent
        let event: Event
        let index: Int

        /// The entity: a value, if another one includes it.
        var of: EntityReference? { isCarried ? event.of : observed.of }
        var value: Datum? { event.relevantValue(of: observed, at: index) }
        fileprivate var isThere: Bool { !isCarried || value != nil }
        private var isCarried: Bool { event.carrier.map { $0.value == observed.of } ?? false }
    }

    private static let maximum = 64

    private(set) var hit: Observation?
    /// When the latest hits occurred, without the oldest.
    private var hits: [Instant] = []
    /// The last hit that is no longer in `hits`.
    private var lastForgotten: Instant?
    /// Whether the last two hits were the same at once.
    private(set) var isDoubled = false
    /// Those whose filters did not match, without the oldest.
    private(set) var misses: [Observation] = []

    /// The last one whose filters did not match.
    var miss: Observation? { misses.last }

    /// When the hits in a window occurred; nil if there were too many to know.
    func hits(in window: ClosedRange<Instant>) -> [Instant]? {
        guard lastForgotten.map({ $0 < window.lowerBound }) ?? true else { return nil }
        return hits.filter(window.contains)
    }

    mutating func see(_ observed: ObservedEvent, _ event: Event, at index: Int, _ now: Instant, fits: Bool) {
        let observation = Observation(instant: now, observed: observed, event: event, index: index)
        guard !fits else {
            isDoubled =
                hit.map { $0.instant.duration(to: now) < .milliseconds(100) && $0.observed.value == observed.value }
                ?? false
            hit = observation
            if hits.count == Self.maximum {
                lastForgotten = hits[Self.maximum / 2 - 1]
                hits.removeFirst(Self.maximum / 2)
            }
            hits.append(now)
            return
        }
        guard observation.isThere else { return }
        misses.append(observation, ofAtMost: Self.maximum)
    }
}
