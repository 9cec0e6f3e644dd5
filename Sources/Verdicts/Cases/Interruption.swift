package import Basics
import Glibc
package import Linux

/// Whether a run in virtual time must stop early; checked once in 64 instants. Meanwhile it shows the progress.
package struct Interruption {
    private static let checkInterval = 64

    private let signals: Signals
    private let files: LogFiles
    private let show: ((_ part: Double, _ text: String) -> Void)?
    private let limit: Instant
    private var instants = 0
    package private(set) var reason: RunCompletion.Reason?

    /// `show` receives the progress until `limit`.
    package init(
        _ signals: Signals, _ files: LogFiles, until limit: Instant,
        showing show: ((_ part: Double, _ text: String) -> Void)? = nil
    ) {
        (self.signals, self.files, self.limit, self.show) = (signals, files, limit, show)
    }

    /// Checks for a reason to stop.
    package mutating func isDue(at now: Instant) -> Bool {
        instants += 1
        guard instants % Self.checkInterval == 0 else { return reason != nil }
        show?(now.sinceStart / limit.sinceStart, "\(now) s of \(limit) s")
        if let number = signals.take() {
            reason = .signal(number)
        } else if files.isUnread {
            reason = .closed
        }
        return reason != nil
    }
}
