import Arguments
import CLinux
import Glibc
package import Simulation

/// Signals as events of a loop.
package struct Signals: Sendable {
    private let descriptor: CInt

    /// Takes SIGINT, SIGTERM and, unless it is ignored, SIGHUP.
    package init() {
        let takesHangUp = !Self.isIgnored(SIGHUP)  // nohup(1) ignores it
        self.init([SIGINT, SIGTERM] + (takesHangUp ? [SIGHUP] : []))
    }

    /// Takes these signals, which lose their default action.
    package init(_ numbers: [Int32]) {
        var set = Self.set(of: numbers)
        unsafe sigprocmask(SIG_BLOCK, &set, nil)
        descriptor = unsafe signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
    }

    /// Takes signals that another thread writes to a pipe, in the format of signalfd(2).
    package init(passedOnTo descriptor: CInt) { self.descriptor = descriptor }

    package func close() { Glibc.close(descriptor) }

    private static func set(of numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        return set
    }

    package func performDefaultAction(of number: Int32) {
        var set = Self.set(of: [number])
        raise(number)
        unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
        unsafe sigprocmask(SIG_BLOCK, &set, nil)
    }

    private static func isIgnored(_ number: CInt) -> Bool {
        let before = signal(number, SIG_IGN)
        signal(number, before)
        return unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// The next signal that has arrived; nil when there is none.
    package func take() -> Int32? {
        var info = signalfd_siginfo()
        let count = unsafe read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size)
        return count > 0 ? Int32(info.ssi_signo) : nil
    }

    /// Calls `action` with each signal that arrives.
    package func watch(on loop: EventLoop, _ action: @escaping @Sendable (Int32) -> Void) -> EventLoop.Watch {
        loop.watch(descriptor, for: .readable) {
            if let number = take() { action(number) }
        }
    }
}
