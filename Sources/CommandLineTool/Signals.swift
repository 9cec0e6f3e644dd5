import CLinux
import Glibc
import Simulation

/// Signals that ask the program to end, as something that a loop can wait for.
struct Signals {
    private let descriptor: CInt

    /// From now on SIGINT and SIGTERM end nothing by themselves, and SIGPIPE nothing at all.
    init() {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in [SIGINT, SIGTERM] { unsafe sigaddset(&set, number) }
        unsafe sigprocmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        descriptor = unsafe signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
    }

    /// Waits for a signal, or until `limit` has passed; the signal's number, or nil.
    func wait(on loop: EventLoop, for limit: Duration?) async -> Int32? {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32?.self)
        let watch = loop.watch(descriptor, for: .readable) { [descriptor] in
            var info = signalfd_siginfo()
            let count = unsafe read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size)
            if count > 0 { continuation.yield(Int32(info.ssi_signo)) }
        }
        let end = limit.map { limit in loop.call(at: loop.now.advanced(by: limit)) { continuation.yield(nil) } }
        defer {
            loop.cancel(watch)
            end?.cancel()
        }
        for await number in stream { return number }
        return nil
    }
}
