import CLubdubLinux
import Glibc
import SwiftOverlayShims

/// Waits for a descriptor, a time or another thread, for an event loop at the real pace.
struct LoopWaker: ~Copyable, Sendable {
    private let wakeups: CInt
    private let timer: CInt
    /// Why the system gave no descriptors; nil if it did.
    let failure: EventLoop.Unavailable?

    init() {
        wakeups = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        timer = wakeups < 0 ? -1 : timerfd_create(CLOCK_MONOTONIC, CInt(TFD_CLOEXEC | TFD_NONBLOCK))
        failure = timer < 0 ? EventLoop.Unavailable(code: errno) : nil
    }

    /// Wakes the loop; may be called from any thread.
    func wake() { eventfd_write(wakeups, 1) }

    /// Sleeps until `limit` has passed (nil: no limit), `wake` is called or one of `watches` is ready; returns the
    /// indices of those that are ready.
    func wait(for limit: Duration?, or watches: [(descriptor: CInt, readiness: EventLoop.Readiness)]) -> [Int] {
        let isDue = limit.map { $0 <= .zero } ?? false
        if !isDue { set(limit ?? .zero) }  // zero disarms
        var polled = [wakeups, timer].map { pollfd(fd: $0, events: CShort(POLLIN), revents: 0) }
        for (descriptor, readiness) in watches {
            let events =
                switch readiness {
                case .readable: POLLIN
                case .writable: POLLOUT
                case .gone: 0 as CInt  // poll(2) always reports errors and hang-ups
                }
            polled.append(pollfd(fd: descriptor, events: CShort(events), revents: 0))
        }
        guard unsafe poll(&polled, nfds_t(polled.count), isDue ? 0 : -1) > 0 else { return [] }  // -1: interrupted
        if polled[0].revents != 0 {
            var count: eventfd_t = 0
            unsafe eventfd_read(wakeups, &count)
        }
        return watches.indices.filter { polled[$0 + 2].revents != 0 }
    }

    /// The delay for which the timer is set: at least its resolution, because 0 disarms it.
    static func timerDelay(_ delay: Duration) -> Duration {
        delay > .zero ? max(delay, .nanoseconds(1)) : .zero
    }

    private func set(_ delay: Duration) {
        let (seconds, attoseconds) = Self.timerDelay(delay).components
        let once = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var timing = itimerspec(it_interval: timespec(), it_value: once)
        unsafe timerfd_settime(timer, 0, &timing, nil)
    }

    deinit {
        if wakeups >= 0 { close(wakeups) }
        if timer >= 0 { close(timer) }
    }
}
