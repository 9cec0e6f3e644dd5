import Basics
import ScenarioModel

/// Evaluates an expectation of what a client shows by the answers of an operator.
///
/// An answer that the client shows it decides an opening at any time; one that it does not, only when its time is over.
/// The operator may take any time to answer.  Of several openings, one is asked about at a time, and three are enough.
struct OperatorEvaluator: ExpectationEvaluator {
    private struct Opening {
        let opened: Instant
        var closes: Instant
        var untils: Int  // matches of `until` that are still to come
        var isHeld: Bool
        var isDue = false
        var isAgain = false
        var other: String?  // what the operator saw instead
    }

    /// An answer may be this late: the operator has to look, read and type.
    static let latency = Duration.seconds(10)
    private static let maximumQuestions = 3

    private let expectation: Expectation
    private let event: Event
    /// Whether the client should show it; false if it should not.
    private let isExpected: Bool
    private var since: MomentWatch
    private var isHeld = true
    private var opening: Opening?
    private var openingState = OpeningState.neverCame
    private var passed = 0
    private var left = 0  // openings without an answer
    private var noAnswer: String?  // why an opening has no answer
    private(set) var outcome: Outcome?

    /// Nil for an expectation that is not about lines of a client.
    init?(_ expectation: Expectation) {
        switch expectation.question {
        case .seen(let event, _) where event.kind == .said: (self.event, isExpected) = (event, true)
        case .never(let event) where event.kind == .said: (self.event, isExpected) = (event, false)
        default: return nil
        }
        self.expectation = expectation
        since = MomentWatch(expectation.opens)
    }

    func question(_ index: Int) -> OperatorQuestion? {
        opening.map { opening in
            OperatorQuestion(
                expectation: index, opened: opening.opened, closes: opening.closes == .never ? nil : opening.closes,
                isDue: opening.isDue, isAgain: opening.isAgain)
        }
    }

    // MARK: Input

    mutating func advance(to now: Instant, _ context: Context) {
        guard outcome == nil else { return }
        while let due = since.nextDue, due <= now {
            since.takeDue()
            open(at: due)
        }
        if let closes = opening?.closes, closes <= now { opening?.isDue = true }
    }

    mutating func observe(_ observed: ObservedEvent, at now: Instant, _ context: Context) {
        guard outcome == nil else { return }
        let isTrue: TruthTest = { context.truths.hold($0, $1, at: now) }
        if let event = expectation.until?.event {
            close(event, event.matches(in: observed, isTrue: isTrue), at: now)
        }
        if let opening, isExpected || !opening.isDue, event.concerns(observed) {
            let line = observed.value?.json.abbreviated ?? "something"
            let start = max(opening.opened, now.advanced(by: .zero - Self.latency))
            let isShown: TruthTest = { context.truths.hold($0, $1, since: start, opened: opening.opened) }
            if event.matches(in: observed, isTrue: isShown) > 0 {
                decide(isExpected, "the operator saw \(line) by \(now) s", at: now, context)
            } else {
                self.opening?.other = line
            }
        }
        if since.observe(observed, at: now, isTrue) { open(at: now) }
    }

    mutating func release(at now: Instant) {
        isHeld = false
        guard let open = opening, open.isHeld, let bound = expectation.bound else { return }
        opening?.isHeld = false
        opening?.closes = min(open.closes, now.advanced(by: bound))
    }

    /// The scenario is at its limit: an opening that closes there can still be answered, one that is cut off cannot.
    mutating func reachedLimit(at now: Instant) {
        guard let open = opening, !open.isDue else { return }
        if expectation.closesAtLimit { opening?.isDue = true } else { opening = nil }
    }

    mutating func finish(at now: Instant, _ context: Context) {
        guard outcome == nil else { return }
        let isAsked = opening?.isDue ?? false
        opening = nil
        guard passed == 0 else { return rule(.pass, nil, at: now) }
        if let noAnswer = isAsked ? "there was no answer" : noAnswer {
            return rule(.inconclusive, Reason(seen: noAnswer), at: now)
        }
        rule(.inconclusive, context.formatter.inconclusive(expectation, openingState, at: now), at: now)
    }

    /// Takes an answer; for `.shown`, the line has been passed to `observe` before.
    mutating func answer(
        _ answer: OperatorQuestion.Answer, to question: OperatorQuestion, at now: Instant, _ context: Context
    ) -> OperatorQuestion.Effect {
        guard let open = opening, open.opened == question.opened else { return .decided }
        switch answer {
        case .yes: decide(isExpected, "the operator saw it by \(now) s", at: now, context)
        case .no where open.isDue, .shown where open.isDue && open.isAgain && isExpected:
            let other = open.other.map { ", but \($0)" } ?? ""
            decide(!isExpected, "the operator had not seen it by \(now) s\(other)", at: now, context)
        case .no: return .early
        case .shown where open.isDue:
            opening?.isAgain = true
            return .unclear
        case .shown: return .early
        case .unknown: skip("the operator could not tell", at: now)
        case .nobody: skip("there was no answer: the input has ended", at: now)
        }
        return .decided
    }

    // MARK: Demand

    var nextDue: Instant {
        guard outcome == nil else { return .never }
        let closes = opening.flatMap { $0.isDue ? nil : $0.closes }
        return min(since.nextDue ?? .never, closes ?? .never)
    }

    var isOpen: Bool { opening != nil }

    // MARK: Openings

    private mutating func open(at now: Instant) {
        guard opening == nil else { return }
        openingState = .opened(now)
        var closes = expectation.until?.clockTime(after: now, origin: .start) ?? .never
        guard closes >= now else {
            openingState = .cameLate(now, over: closes)
            return
        }
        let bound = expectation.bound
        if let bound, !isHeld { closes = min(closes, now.advanced(by: bound)) }
        opening = Opening(
            opened: now, closes: closes, untils: expectation.until?.event?.occurrence.first ?? 0,
            isHeld: isHeld && bound != nil)
    }

    private mutating func close(_ event: Event, _ matches: Int, at now: Instant) {
        guard let open = opening, matches > 0 else { return }
        opening?.untils -= matches
        if open.untils <= matches { opening?.closes = min(open.closes, now.advanced(by: event.delay)) }
        if let closes = opening?.closes, closes <= now { opening?.isDue = true }
    }

    private mutating func decide(_ isGood: Bool, _ seen: String, at now: Instant, _ context: Context) {
        guard let open = opening else { return }
        opening = nil
        guard isGood else {
            return deny(context.formatter.denied(expectation, open.opened, seen), open, at: now, context)
        }
        passed += 1
        if passed + left >= Self.maximumQuestions || since.isExhausted { rule(.pass, nil, at: now) }
    }

    /// Fails, unless this machine stalled and so may have delayed the client.
    private mutating func deny(_ reason: Reason, _ open: Opening, at now: Instant, _ context: Context) {
        guard let stall = context.stalls.excuse(expectation, from: open.opened, to: min(open.closes, now))
        else { return rule(.fail, reason, at: now) }
        outcome = Outcome(
            verdict: .inconclusive, reason: context.formatter.excused(reason, stall), at: now,
            stall: stall
        )
    }

    private mutating func skip(_ reason: String, at now: Instant) {
        opening = nil
        (noAnswer, left) = (reason, left + 1)
        guard since.isExhausted || passed + left >= Self.maximumQuestions else { return }
        if passed > 0 { rule(.pass, nil, at: now) } else { rule(.inconclusive, Reason(seen: reason), at: now) }
    }

    private mutating func rule(_ verdict: Verdict, _ reason: Reason?, at now: Instant) {
        outcome = Outcome(verdict: verdict, reason: reason, at: now)
    }
}
