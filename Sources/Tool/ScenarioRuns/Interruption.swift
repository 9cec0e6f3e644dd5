package import CommandSupport
import Glibc

/// Whether a run in virtual time must stop early; checked once in 64 instants.
package struct Interruption {
    private static let checkInterval = 64

    private let signals: Signals
    private let files: LogFiles
    private var instants = 0
    package private(set) var reason: RunCompletion.Reason?

    package init(_ signals: Signals, _ files: LogFiles) { (self.signals, self.files) = (signals, files) }

    /// Checks for a reason to stop.
    package mutating func isDue() -> Bool {
        instants += 1
        guard instants % Self.checkInterval == 0 else { return reason != nil }
        if let number = signals.take() {
            reason = .signal(number)
        } else if files.readerIsGone || Console.failure == EPIPE {
            reason = .closed
        }
        return reason != nil
    }
}
