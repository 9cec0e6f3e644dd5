package import Arguments
import Glibc
package import Simulation

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
        if watchesReader { watches.append(loop.watch(STDOUT_FILENO, for: .gone) { continuation.yield(.closed) }) }
        let end = limit.map { limit in loop.call(at: loop.now.advanced(by: limit)) { continuation.yield(.time) } }
        defer {
            for watch in watches { loop.cancel(watch) }
            end?.cancel()
        }
        for await reason in reasons { return reason }
        return .time
    }
}
