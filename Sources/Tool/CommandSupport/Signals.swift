import Arguments
import CLinux
import Glibc
package import Simulation

/// Signals that ask the program to end, as something that a loop can wait for.
package struct Signals: Sendable {
    private let descriptor: CInt

    /// From now on SIGINT, SIGTERM and SIGHUP end nothing by themselves.
    package init() {
        let isWanted = !Self.isIgnored(SIGHUP)  // nohup(1) wants it to stay ignored
        self.init([SIGINT, SIGTERM] + (isWanted ? [SIGHUP] : []))
    }

    /// From now on these signals do nothing by themselves.
    package init(_ numbers: [Int32]) {
        var set = Self.set(of: numbers)
        unsafe sigprocmask(SIG_BLOCK, &set, nil)
        descriptor = unsafe signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
    }

    /// Those that somebody else takes, and writes to the other end of this pipe as signalfd(2) has them.
    package init(passedOnTo descriptor: CInt) { self.descriptor = descriptor }

    /// None will come any more.
    package func close() { Glibc.close(descriptor) }

    private static func set(of numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        return set
    }

    /// A signal that was taken does after all what it does by itself.
    package func letHappen(_ number: Int32) {
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

    /// The number of a signal that has come, once for each; nil when none has.
    package func take() -> Int32? {
        var info = signalfd_siginfo()
        let count = unsafe read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size)
        return count > 0 ? Int32(info.ssi_signo) : nil
    }

    /// Calls `action` with the number of each signal that comes.
    package func watch(on loop: EventLoop, _ action: @escaping @Sendable (Int32) -> Void) -> EventLoop.Watch {
        loop.watch(descriptor, for: .readable) {
            if let number = take() { action(number) }
        }
    }
}
