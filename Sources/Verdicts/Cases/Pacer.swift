package import Basics
import Glibc
package import Linux
package import VirtualWorld

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

/// Decides when a run plays its next instant. It ends the run early on a signal, and when nobody reads the results.
package struct Pacer {
    /// How time passes.
    package enum Pace {
        /// It jumps from instant to instant, while the progress until a limit is shown.
        case virtual(Signals, until: Instant, RunProgress?)
        /// It follows a clock that starts now. Whoever plays has to hold its loop.
        case real(RealTime)
    }

    private static let checkInterval = 64

    private let pace: Pace
    private let files: LogFiles
    private var instants = 0
    /// Why the run has to end early; nil while it has not.
    package private(set) var reason: RunCompletion.Reason?

    package init(_ pace: Pace, _ files: LogFiles) { (self.pace, self.files) = (pace, files) }

    /// Waits until an instant may be played; false if the run has to end before it.
    package mutating func wait(until instant: Instant, _ world: inout World) -> Bool {
        switch pace {
        case .virtual(let signals, let limit, let progress):
            // System calls take longer than an instant.
            instants += 1
            guard instants % Self.checkInterval == 0 else { break }
            progress?.show(world.now.sinceStart / limit.sinceStart) { "\(world.now) s of \(limit) s" }
            if let number = signals.take() {
                reason = .signal(number)
            } else if files.isUnread {
                reason = .closed
            }
        case .real(let clock):
            files.flush(&world)
            if files.readerIsGone { clock.end(.closed) }
            _ = clock.play(until: instant) { false }
            reason = clock.reason
        }
        return reason == nil
    }
}
