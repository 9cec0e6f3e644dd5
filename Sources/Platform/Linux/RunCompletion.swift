package import Basics
import CLubdubLinux
import Glibc

/// Why a command ends: the first reason that is reported.
package struct RunCompletion: Sendable {
    package enum Reason: Sendable {
        case signal(Int32)
        /// The reader of standard output is gone.
        case closed
        case time
        /// The user pressed the key.
        case quit
        case failure(String)

        /// The exit code for this reason; nil when it depends on the results.
        package var code: ExitCode? {
            switch self {
            case .signal(let number): .signal(number)
            case .closed: .signal(SIGPIPE)
            case .time: nil
            case .quit: .success
            case .failure: .environment
            }
        }
    }

    private let reasons: AsyncStream<Reason>
    private let continuation: AsyncStream<Reason>.Continuation

    package init() { (reasons, continuation) = AsyncStream.makeStream(of: Reason.self) }

    /// Reports a reason; call it on the loop's thread, any number of times.
    package func finish(_ reason: Reason) { continuation.yield(reason) }

    /// Waits for a signal, for `limit` to pass, for the reader of standard output to go (if `watchesReader`), or for
    /// `finish`.
    package func wait(
        _ signals: Signals, on loop: EventLoop, for limit: Duration?, watchesReader: Bool = true
    ) async -> Reason {
        var watches = [signals.watch(on: loop) { continuation.yield(.signal($0)) }]
        if watchesReader {
            watches.append(
                loop.watch(STDOUT_FILENO, for: .gone, isOutside: true) { continuation.yield(.closed) })
        }
        let end = limit.map { limit in loop.call(at: loop.now.advanced(by: limit)) { continuation.yield(.time) } }
        defer {
            for watch in watches { loop.cancel(watch) }
            end?.cancel()
        }
        for await reason in reasons { return reason }
        return .time
    }
}

/// Signals as events of a loop.
package struct Signals: Sendable {
    private let descriptor: CInt
    private let endsProgram: Bool

    /// Takes the signals that ask the program to end: SIGINT, SIGTERM and, unless it is ignored, SIGHUP.
    package init() {
        let takesHangUp = !Self.isIgnored(SIGHUP)  // nohup(1) ignores it
        self.init([SIGINT, SIGTERM] + (takesHangUp ? [SIGHUP] : []), endsProgram: true)
        EndSignal.expect(at: descriptor)
    }

    /// Takes these signals, which lose their default action.
    package init(_ numbers: [Int32]) { self.init(numbers, endsProgram: false) }

    private init(_ numbers: [Int32], endsProgram: Bool) {
        self.endsProgram = endsProgram
        var set = Self.set(of: numbers)
        unsafe sigprocmask(SIG_BLOCK, &set, nil)
        descriptor = unsafe signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
    }

    /// Takes signals that another thread writes to a pipe, in the format of signalfd(2).
    package init(passedOnTo descriptor: CInt) { (self.descriptor, endsProgram) = (descriptor, false) }

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
        let number = Self.take(from: descriptor)
        if let number, endsProgram { EndSignal.noteArrival(number) }
        return number
    }

    /// The next signal that arrives within this time; nil if there is none.
    package func wait(milliseconds: CInt) -> Int32? {
        var polled = pollfd(fd: descriptor, events: CShort(POLLIN), revents: 0)
        return unsafe poll(&polled, 1, milliseconds) == 1 ? take() : nil
    }

    static func take(from descriptor: CInt) -> Int32? {
        var info = signalfd_siginfo()
        let count = unsafe read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size)
        return count > 0 ? Int32(info.ssi_signo) : nil
    }

    /// Calls `action` with each signal that arrives.
    package func watch(on loop: EventLoop, _ action: @escaping @Sendable (Int32) -> Void) -> EventLoop.Watch {
        loop.watch(descriptor, for: .readable, isOutside: true) {
            if let number = take() { action(number) }
        }
    }
}
