import EventLog
import Scenarios
import Simulation
import Spelling

/// An expectation of what a client shows, judged by a person who looks at it.
///
/// What is shown in time settles it whenever that is said; that it was not, counts when the time is over.  How long a
/// person takes to answer counts for nothing.  Of an expectation that opens again and again, one opening is asked about
/// at a time, and three of them are enough.
struct AskedTrial: Trying {
    private struct Opening {
        let opened: Instant
        var closes: Instant
        var untils: Int  // matches of `until` that are to come
        var isHeld: Bool
        var isDue = false
        var isAgain = false
        var other: String?  // what a person saw instead
    }

    /// What was true so long ago may still be said: a person looks, reads and types.
    static let latency = Duration.seconds(10)
    private static let mostAsked = 3

    private let expectation: Expectation
    private let event: Event
    /// Whether it should be shown, or should not.
    private let isWanted: Bool
    private var since: MomentWatch
    private var isHeld = true
    private var opening: Opening?
    private var standing = Standing.neverCame
    private var passed = 0
    private var left = 0  // those that were not answered
    private var unsaid: String?  // why one of them was not answered
    private(set) var outcome: Outcome?

    /// Nil when it is not about what a client says.
    init?(_ expectation: Expectation) {
        switch expectation.question {
        case .seen(let event, _) where event.kind == .said: (self.event, isWanted) = (event, true)
        case .never(let event) where event.kind == .said: (self.event, isWanted) = (event, false)
        default: return nil
        }
        self.expectation = expectation
        since = MomentWatch(expectation.opens)
    }

    /// What is asked now; nil when nothing is.
    func inquiry(_ index: Int) -> Inquiry? {
        opening.map { opening in
            Inquiry(
                expectation: index, opened: opening.opened, closes: opening.closes == .never ? nil : opening.closes,
                isDue: opening.isDue, isAgain: opening.isAgain)
        }
    }

    // MARK: What it is told

    mutating func advance(to now: Instant, _ context: Context) {
        guard outcome == nil else { return }
        while let due = since.nextDue, due <= now {
            since.takeDue()
            open(at: due)
        }
        if let closes = opening?.closes, closes <= now { opening?.isDue = true }
    }

    mutating func hear(_ observed: ObservedEvent, at now: Instant, _ context: Context) {
        guard outcome == nil else { return }
        let isTrue: TruthTest = { context.truths.hold($0, $1, at: now) }
        if let event = expectation.until?.event {
            close(event, event.matches(in: observed, isTrue: isTrue), at: now)
        }
        if let opening, isWanted || !opening.isDue, event.concerns(observed) {
            let line = observed.value?.json.abbreviated ?? "something"
            let start = max(opening.opened, now.advanced(by: .zero - Self.latency))
            if event.matches(in: observed, isTrue: { context.truths.hold($0, $1, since: start) }) > 0 {
                decide(isWanted, "a person saw \(line) by \(now) s", at: now, context)
            } else {
                self.opening?.other = line
            }
        }
        if since.hear(observed, at: now, isTrue) { open(at: now) }
    }

    mutating func release(at now: Instant) {
        isHeld = false
        guard let open = opening, open.isHeld, let bound = expectation.bound else { return }
        opening?.isHeld = false
        opening?.closes = min(open.closes, now.advanced(by: bound))
    }

    /// Nothing happens any more: what closes by that can be answered, and what is cut off cannot.
    mutating func reachedLimit(at now: Instant) {
        guard let open = opening, !open.isDue else { return }
        if expectation.closesAtLimit { opening?.isDue = true } else { opening = nil }
    }

    mutating func finish(at now: Instant, _ context: Context) {
        guard outcome == nil else { return }
        let isAsked = opening?.isDue ?? false
        opening = nil
        guard passed == 0 else { return rule(.pass, nil, at: now) }
        if let unsaid = isAsked ? "nobody answered" : unsaid {
            return rule(.inconclusive, Reason(seen: unsaid), at: now)
        }
        rule(.inconclusive, context.wording.inconclusive(expectation, standing, at: now), at: now)
    }

    /// What an answer is worth; of what was shown, `hear` has been told before.
    mutating func answer(
        _ answer: Inquiry.Answer, to inquiry: Inquiry, at now: Instant, _ context: Context
    ) -> Inquiry.Reception {
        guard let open = opening, open.opened == inquiry.opened else { return .decided }
        switch answer {
        case .yes: decide(isWanted, "a person saw it by \(now) s", at: now, context)
        case .no where open.isDue, .shown where open.isDue && open.isAgain && isWanted:
            let other = open.other.map { ", but \($0)" } ?? ""
            decide(!isWanted, "a person had not seen it by \(now) s\(other)", at: now, context)
        case .no: return .early
        case .shown where open.isDue:
            opening?.isAgain = true
            return .unclear
        case .shown: return .early
        case .unknown: leave("the person could not tell", at: now)
        case .nobody: leave("nobody answered: there are no answers left to read", at: now)
        }
        return .decided
    }

    // MARK: Openings

    private mutating func open(at now: Instant) {
        guard opening == nil else { return }
        standing = .opened(now)
        var closes = expectation.until?.clockTime(after: now, origin: .start) ?? .never
        guard closes >= now else {
            standing = .cameLate(now, over: closes)
            return
        }
        let bound = expectation.bound
        if let bound, !isHeld { closes = min(closes, now.advanced(by: bound)) }
        opening = Opening(
            opened: now, closes: closes, untils: expectation.until?.event?.occurrence.first ?? 0,
            isHeld: isHeld && bound != nil)
    }

    /// So many matches have come of the event that closes it.
    private mutating func close(_ event: Event, _ matches: Int, at now: Instant) {
        guard let open = opening, matches > 0 else { return }
        opening?.untils -= matches
        if open.untils <= matches { opening?.closes = min(open.closes, now.advanced(by: event.delay)) }
        if let closes = opening?.closes, closes <= now { opening?.isDue = true }
    }

    private mutating func decide(_ isGood: Bool, _ words: String, at now: Instant, _ context: Context) {
        guard let open = opening else { return }
        opening = nil
        guard isGood else {
            return deny(context.wording.denied(expectation, open.opened, words), open, at: now, context)
        }
        passed += 1
        if passed + left >= Self.mostAsked || since.isExhausted { rule(.pass, nil, at: now) }
    }

    /// A machine that stood still may have kept from the client what it should have shown.
    private mutating func deny(_ reason: Reason, _ open: Opening, at now: Instant, _ context: Context) {
        guard let standstill = context.standstills.excuse(expectation, from: open.opened, to: min(open.closes, now))
        else {
            return rule(.fail, reason, at: now)
        }
        outcome = Outcome(
            verdict: .inconclusive, reason: context.wording.excused(reason, standstill), at: now, standstill: standstill
        )
    }

    private mutating func leave(_ why: String, at now: Instant) {
        opening = nil
        (unsaid, left) = (why, left + 1)
        guard since.isExhausted || passed + left >= Self.mostAsked else { return }
        if passed > 0 { rule(.pass, nil, at: now) } else { rule(.inconclusive, Reason(seen: why), at: now) }
    }

    private mutating func rule(_ verdict: Verdict, _ reason: Reason?, at now: Instant) {
        outcome = Outcome(verdict: verdict, reason: reason, at: now)
    }
}
