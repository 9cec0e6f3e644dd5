import CLinux
import Glibc

/// Waits for a descriptor, a time or another thread, for an event loop at the real pace.
struct LoopWaker: ~Copyable, Sendable {
    private let wakeups = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    private let timer = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_CLOEXEC | TFD_NONBLOCK))

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

    private func set(_ delay: Duration) {
        let (seconds, attoseconds) = delay.components
        let once = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var timing = itimerspec(it_interval: timespec(), it_value: once)
        unsafe timerfd_settime(timer, 0, &timing, nil)
    }

    deinit {
        close(wakeups)
        close(timer)
    }
}
