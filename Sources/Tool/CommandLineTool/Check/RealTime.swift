import Glibc
import Simulation
import Synchronization

/// The time of checks on a real radio: an event loop that their straight-line code turns, one round after the other.
///
/// It measures how late the loop's own events come, and is over as soon as a signal comes, nobody reads the results any
/// more, or somebody says that it is: then no time passes any more, so that whatever is waited for ends at once.
final class RealTime {
    private enum Happening: Sendable {
        case signal(Int32)
        case readerIsGone
        case beat(due: Instant)
    }

    private static let interval = Duration.milliseconds(20)
    /// Shorter ones excuse nothing.
    private static let shortest = Duration.milliseconds(50)

    let loop: EventLoop
    /// Called some times a second while time passes.
    var tick: (() -> Void)?
    /// Why it is over.
    private(set) var reason: Ending.Reason?
    private let inbox = Inbox<Happening>()
    private var skipped = Instant.start
    private var standstills: [(end: Instant, length: Duration)] = []
    private var nextTick = Instant.start

    /// The loop must be held by who uses this.
    init(_ loop: EventLoop, _ signals: Signals) {
        self.loop = loop
        _ = signals.watch(on: loop) { [inbox] in inbox.add(.signal($0)) }
        _ = loop.watch(STDOUT_FILENO, for: .gone) { [inbox] in inbox.add(.readerIsGone) }
        beat(at: loop.now.advanced(by: Self.interval))
    }

    /// The loop's; beyond that when it is over.
    var now: Instant { max(loop.now, skipped) }

    /// From now on it is over, unless it is already.
    func end(_ reason: Ending.Reason) { self.reason = self.reason ?? reason }

    /// Lets time pass until something is so: false when it is `limit`, or over.
    func play(until limit: Instant, _ isSo: () -> Bool) -> Bool {
        while reason == nil {
            if isSo() { return true }
            guard loop.now < limit else { return false }
            turn(until: limit)
        }
        skipped = max(skipped, limit)
        return false
    }

    /// As `play`, though it is over: so links can be ended in good order.
    func finish(within duration: Duration, _ isSo: () -> Bool) {
        let limit = loop.now.advanced(by: duration)
        while !isSo(), loop.now < limit { turn(until: limit) }
    }

    /// How late an event came at the most since then.
    func standstill(since begin: Instant) -> Duration {
        standstills.lazy.filter { $0.end >= begin }.map(\.length).max() ?? .zero
    }

    /// Forgets what is of no interest to who begins to wait now.
    func forgetStandstills() { standstills = [] }

    private func turn(until limit: Instant) {
        _ = loop.runNextEvents(until: limit)
        for happening in inbox.take() {
            switch happening {
            case .signal(let number): end(.signal(number))
            case .readerIsGone: end(.closed)
            case .beat(let due): beaten(due)
            }
        }
    }

    private func beaten(_ due: Instant) {
        let late = due.duration(to: loop.now)
        if late > Self.shortest { standstills.append((loop.now, late)) }
        beat(at: loop.now.advanced(by: Self.interval))
        guard loop.now >= nextTick else { return }
        nextTick = loop.now.advanced(by: .milliseconds(200))
        tick?()
    }

    private func beat(at due: Instant) {
        loop.call(at: due) { [inbox] in inbox.add(.beat(due: due)) }
    }
}

/// What a loop's events have brought, for straight-line code that takes it when it likes.
final class Inbox<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func add(_ element: Element) { elements.withLock { $0.append(element) } }

    /// All of it, in the order in which it came.
    func take() -> [Element] {
        elements.withLock { elements in
            defer { elements.removeAll(keepingCapacity: true) }
            return elements
        }
    }
}
