package import Arguments
import Glibc
package import Simulation

/// Why a command ends; whoever knows a reason first says so.
package struct RunCompletion: Sendable {
    /// What there can be.
    package enum Reason: Sendable {
        case signal(Int32)
        /// Nobody reads what is written any more.
        case closed
        case time
        /// Somebody pressed the key for it.
        case quit
        case failure(String)

        /// What the process says when it ends for this reason; nil when that depends on what it found out.
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

    /// From the loop's thread, as often as one likes.
    package func finish(_ reason: Reason) { continuation.yield(reason) }

    /// Waits for a signal, for `limit` to pass, for the reader of standard output to go if that is heeded, or for
    /// somebody to say why it is over.
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
