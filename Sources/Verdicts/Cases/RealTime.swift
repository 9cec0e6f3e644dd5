package import Basics
import Drivers
import Glibc
package import Linux

/// Real time for code without `async`, which turns an event loop, one round after the other.
///
/// It can measure how late the loop's events are.  It is over as soon as a signal comes, the reader of the results goes away,
/// the limit passes, or `end` is called; then no time passes, so that every wait ends at once.
package final class RealTime {
    private enum Input: Sendable {
        case signal(Int32)
        case readerIsGone
        case beat(due: Instant)
        case limitHasPassed
    }

    private static let interval = Duration.milliseconds(20)
    /// A shorter delay is ignored.
    private static let minimumStall = Duration.milliseconds(50)

    package let loop: EventLoop
    /// Called five times a second while time passes.
    package var tick: (() -> Void)?
    /// Why it is over; nil while it is not.
    package private(set) var reason: RunCompletion.Reason?
    private let inbox = Inbox<Input>()
    private var skipped = Instant.start
    private var stalls: [(end: Instant, length: Duration)] = []
    private var nextTick = Instant.start

    /// The caller has to hold the loop.  It is over after `limit`.
    package init(_ loop: EventLoop, _ signals: Signals, limit: Duration? = nil, measuresStalls: Bool = true) {
        self.loop = loop
        _ = signals.watch(on: loop) { [inbox] in inbox.add(.signal($0)) }
        _ = loop.watch(STDOUT_FILENO, for: .gone) { [inbox] in inbox.add(.readerIsGone) }
        if measuresStalls { beat(at: loop.now.advanced(by: Self.interval)) }
        if let limit { loop.call(at: loop.now.advanced(by: limit)) { [inbox] in inbox.add(.limitHasPassed) } }
    }

    /// Whether it is over because the limit has passed.
    package var isUp: Bool { if case .time? = reason { true } else { false } }

    /// How much time has really passed since an instant: after the end, `now` leaps over what would have been waited for.
    package func passed(since begin: Instant) -> Duration { max(.zero, begin.duration(to: loop.now)) }

    /// The loop's time; after the end, the last limit of `play`.
    package var now: Instant { max(loop.now, skipped) }

    package func end(_ reason: RunCompletion.Reason) { self.reason = self.reason ?? reason }

    /// Lets time pass until `condition` is true; returns false at `limit`, and when the time is over.
    package func play(until limit: Instant, _ condition: () -> Bool) -> Bool {
        while reason == nil {
            if condition() { return true }
            guard loop.now < limit else { return false }
            turn(until: limit)
        }
        skipped = max(skipped, limit)
        return false
    }

    /// As `play`, but also after the end, so that links can be ended.
    package func finish(within duration: Duration, _ condition: () -> Bool) {
        let limit = loop.now.advanced(by: duration)
        while !condition(), loop.now < limit { turn(until: limit) }
    }

    /// Lets time pass until a task on the loop has ended; returns nil if that takes longer than `duration`, and when the
    /// time is over unless `evenIfOver`.
    package func run<Answer: Sendable>(
        within duration: Duration, evenIfOver: Bool = false, _ body: @escaping @Sendable () async -> Answer
    ) -> Answer? {
        let answers = Inbox<Answer>()
        _ = loop.start { answers.add(await body()) }
        var answer: Answer?
        func hasEnded() -> Bool {
            answer = answer ?? answers.take().first
            return answer != nil
        }
        if evenIfOver {
            finish(within: duration, hasEnded)
        } else {
            _ = play(until: now.advanced(by: duration), hasEnded)
        }
        return answer
    }

    package func stall(since begin: Instant) -> Duration {
        stalls.lazy.filter { $0.end >= begin }.map(\.length).max() ?? .zero
    }

    package func forgetStalls() { stalls = [] }

    private func turn(until limit: Instant) {
        _ = loop.runNextEvents(until: limit)
        for input in inbox.take() {
            switch input {
            case .signal(let number): end(.signal(number))
            case .readerIsGone: end(.closed)
            case .beat(let due): measure(due)
            case .limitHasPassed: end(.time)
            }
        }
    }

    private func measure(_ due: Instant) {
        let late = due.duration(to: loop.now)
        if late > Self.minimumStall { stalls.append((loop.now, late)) }
        beat(at: loop.now.advanced(by: Self.interval))
        guard loop.now >= nextTick else { return }
        nextTick = loop.now.advanced(by: .milliseconds(200))
        tick?()
    }

    private func beat(at due: Instant) {
        loop.call(at: due) { [inbox] in inbox.add(.beat(due: due)) }
    }
}
