package import Basics
package import CommandSupport
import Glibc
package import Linux

/// Whether a run in virtual time must stop early; checked once in 64 instants. Meanwhile it shows the progress.
package struct Interruption {
    private static let checkInterval = 64

    private let signals: Signals
    private let files: LogFiles
    private let bar: ProgressBar?
    private let limit: Instant
    private var instants = 0
    package private(set) var reason: RunCompletion.Reason?

    /// Shows the progress until `limit` in `bar`, if there is one.
    package init(_ signals: Signals, _ files: LogFiles, showing bar: ProgressBar? = nil, until limit: Instant) {
        (self.signals, self.files, self.bar, self.limit) = (signals, files, bar, limit)
    }

    /// Checks for a reason to stop.
    package mutating func isDue(at now: Instant) -> Bool {
        instants += 1
        guard instants % Self.checkInterval == 0 else { return reason != nil }
        bar?.show(now.sinceStart / limit.sinceStart, "\(now) s of \(limit) s")
        if let number = signals.take() {
            reason = .signal(number)
        } else if files.readerIsGone || Console.failure == EPIPE {
            reason = .closed
        }
        return reason != nil
    }
}
