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

    /// Calls `action` with the number of each signal that comes.
    func watch(on loop: EventLoop, _ action: @escaping @Sendable (Int32) -> Void) -> EventLoop.Watch {
        loop.watch(descriptor, for: .readable) { [descriptor] in
            var info = signalfd_siginfo()
            let count = unsafe read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size)
            if count > 0 { action(Int32(info.ssi_signo)) }
        }
    }
}

/// Why a command at the real pace ends; whoever knows a reason first says so.
struct Ending: Sendable {
    /// What there can be.
    enum Reason: Sendable {
        case signal(Int32)
        case time
        case failure(String)
    }

    private let reasons: AsyncStream<Reason>
    private let continuation: AsyncStream<Reason>.Continuation

    init() { (reasons, continuation) = AsyncStream.makeStream(of: Reason.self) }

    /// From the loop's thread, as often as one likes.
    func say(_ reason: Reason) { continuation.yield(reason) }

    /// Waits for a signal, for `limit` to pass, or for somebody to say why it is over.
    func wait(_ signals: Signals, on loop: EventLoop, for limit: Duration?) async -> Reason {
        let watch = signals.watch(on: loop) { continuation.yield(.signal($0)) }
        let end = limit.map { limit in loop.call(at: loop.now.advanced(by: limit)) { continuation.yield(.time) } }
        defer {
            loop.cancel(watch)
            end?.cancel()
        }
        for await reason in reasons { return reason }
        return .time
    }
}
