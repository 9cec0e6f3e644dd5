package import CommandSupport
import Glibc

/// Whether something in virtual time has to end early; asked at each instant, it looks now and then.
package struct Interruption {
    private static let instantsBetweenLooks = 64

    private let signals: Signals
    private let files: LogFiles
    private var instants = 0
    package private(set) var reason: RunCompletion.Reason?

    package init(_ signals: Signals, _ files: LogFiles) { (self.signals, self.files) = (signals, files) }

    /// Whether there is a reason now.
    package mutating func hasCome() -> Bool {
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
