package import Basics
import Glibc
package import Linux

/// The display of how far a run in virtual time is.
package struct RunProgress {
    fileprivate let show: (_ part: Double, _ text: () -> String) -> Void
    /// The run has ended.
    let end: () -> Void

    /// `show` receives the part that is done, from 0 to 1, and a text, which takes time to make.
    package init(show: @escaping (_ part: Double, _ text: () -> String) -> Void, end: @escaping () -> Void) {
        (self.show, self.end) = (show, end)
    }
}

/// Whether a run in virtual time must stop early; checked once in 64 instants. Meanwhile it shows the progress.
package struct Interruption {
    private static let checkInterval = 64

    private let signals: Signals
    private let files: LogFiles
    private let progress: RunProgress?
    private let limit: Instant
    private var instants = 0
    package private(set) var reason: RunCompletion.Reason?

    /// `progress` shows how far it is until `limit`.
    package init(_ signals: Signals, _ files: LogFiles, until limit: Instant, showing progress: RunProgress? = nil) {
        (self.signals, self.files, self.limit, self.progress) = (signals, files, limit, progress)
    }

    /// Checks for a reason to stop.
    package mutating func isDue(at now: Instant) -> Bool {
        instants += 1
        guard instants % Self.checkInterval == 0 else { return reason != nil }
        progress?.show(now.sinceStart / limit.sinceStart) { "\(now) s of \(limit) s" }
        if let number = signals.take() {
            reason = .signal(number)
        } else if files.isUnread {
            reason = .closed
        }
        return reason != nil
    }
}
