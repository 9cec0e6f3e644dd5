import CLinux
import Glibc

/// What wakes a loop at the real pace: a descriptor, the time, or another thread.
struct Alarm: ~Copyable, Sendable {
    private let bell = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    private let timer = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_CLOEXEC | TFD_NONBLOCK))

    /// Wakes the loop; from any thread.
    func ring() { eventfd_write(bell, 1) }

    /// Sleeps until `limit` has passed (nil: for as long as it takes), the bell rings, or one of
    /// `watches` is ready; returns their indices.
    func wait(for limit: Duration?, or watches: [(descriptor: CInt, readiness: EventLoop.Readiness)]) -> [Int] {
        let isDue = limit.map { $0 <= .zero } ?? false
        if !isDue { set(limit ?? .zero) }  // zero disarms
        var polled = [bell, timer].map { pollfd(fd: $0, events: CShort(POLLIN), revents: 0) }
        for (descriptor, readiness) in watches {
            let events =
                switch readiness {
                case .readable: POLLIN
                case .writable: POLLOUT
                case .gone: 0 as CInt  // poll(2) tells of errors and hang-ups unasked
                }
            polled.append(pollfd(fd: descriptor, events: CShort(events), revents: 0))
        }
        guard unsafe poll(&polled, nfds_t(polled.count), isDue ? 0 : -1) > 0 else { return [] }  // -1: a signal came
        if polled[0].revents != 0 {
            var rings: eventfd_t = 0
            unsafe eventfd_read(bell, &rings)
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
        close(bell)
        close(timer)
    }
}
