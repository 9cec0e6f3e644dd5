import Arguments
import CLinux
import Glibc
import Simulation

/// Signals that ask the program to end, as something that a loop can wait for.
struct Signals: Sendable {
    private let descriptor: CInt

    /// From now on SIGINT, SIGTERM and SIGHUP end nothing by themselves.
    init() {
        let isWanted = !Self.isIgnored(SIGHUP)  // nohup(1) wants it to stay ignored
        self.init([SIGINT, SIGTERM] + (isWanted ? [SIGHUP] : []))
    }

    /// From now on these signals do nothing by themselves.
    init(_ numbers: [Int32]) {
        var set = Self.set(of: numbers)
        unsafe sigprocmask(SIG_BLOCK, &set, nil)
        descriptor = unsafe signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
    }

    /// Those that somebody else takes, and writes to the other end of this pipe as signalfd(2) has them.
    init(passedOnTo descriptor: CInt) { self.descriptor = descriptor }

    /// None will come any more.
    func close() { Glibc.close(descriptor) }

    private static func set(of numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        return set
    }

    /// A signal that was taken does after all what it does by itself.
    func letHappen(_ number: Int32) {
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
    func take() -> Int32? {
        var info = signalfd_siginfo()
        let count = unsafe read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size)
        return count > 0 ? Int32(info.ssi_signo) : nil
    }

    /// Calls `action` with the number of each signal that comes.
    func watch(on loop: EventLoop, _ action: @escaping @Sendable (Int32) -> Void) -> EventLoop.Watch {
        loop.watch(descriptor, for: .readable) {
            if let number = take() { action(number) }
        }
    }
}

/// Why a command ends; whoever knows a reason first says so.
struct Ending: Sendable {
    /// What there can be.
    enum Reason: Sendable {
        case signal(Int32)
        /// Nobody reads what is written any more.
        case closed
        case time
        /// Somebody pressed the key for it.
        case quit
        case failure(String)

        /// What the process says when it ends for this reason; nil when that depends on what it found out.
        var code: ExitCode? {
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

    init() { (reasons, continuation) = AsyncStream.makeStream(of: Reason.self) }

    /// From the loop's thread, as often as one likes.
    func say(_ reason: Reason) { continuation.yield(reason) }

    /// Waits for a signal, for `limit` to pass, for the reader of standard output to go if that is heeded, or for
    /// somebody to say why it is over.
    func wait(
        _ signals: Signals, on loop: EventLoop, for limit: Duration?, heedsReader: Bool = true
    ) async -> Reason {
        var watches = [signals.watch(on: loop) { continuation.yield(.signal($0)) }]
        if heedsReader { watches.append(loop.watch(STDOUT_FILENO, for: .gone) { continuation.yield(.closed) }) }
        let end = limit.map { limit in loop.call(at: loop.now.advanced(by: limit)) { continuation.yield(.time) } }
        defer {
            for watch in watches { loop.cancel(watch) }
            end?.cancel()
        }
        for await reason in reasons { return reason }
        return .time
    }
}

/// Whether something in virtual time has to end early; asked at each instant, it looks now and then.
struct Interruption {
    private static let instantsBetweenLooks = 64

    private let signals: Signals
    private let files: LogFiles
    private var instants = 0
    private(set) var reason: Ending.Reason?

    init(_ signals: Signals, _ files: LogFiles) { (self.signals, self.files) = (signals, files) }

    /// Whether there is a reason now.
    mutating func hasCome() -> Bool {
        instants += 1
        guard instants % Self.instantsBetweenLooks == 0 else { return reason != nil }
        if let number = signals.take() {
            reason = .signal(number)
        } else if files.readerIsGone || Console.failure == EPIPE {
            reason = .closed
        }
        return reason != nil
    }
}
