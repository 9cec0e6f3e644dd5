import Basics
import Glibc
import Linux
import Synchronization

/// A line at the bottom of a terminal at standard error, which shows how far a command is.
///
///     [########            ]  40 %  3 of 8: resting; about 12 s left
///
/// It has no colours.
package final class ProgressBar: Sendable {
    private static let width = 20

    private let began = Meter.now(CLOCK_MONOTONIC)
    private let period: Int64
    private let isEstimating: Bool
    /// When it may be drawn next.
    private let next: Mutex<Int64>

    /// For a command that reports its progress often: it appears after 2 s, and estimates how long the rest takes.
    ///
    /// Nil without a terminal that understands control sequences.
    package convenience init?() { self.init(after: 2_000_000_000, every: 200_000_000, isEstimating: true) }

    private init?(after delay: Int64, every period: Int64, isEstimating: Bool) {
        guard isatty(STDERR_FILENO) == 1, Paint.canErase else { return nil }
        (self.period, self.isEstimating) = (period, isEstimating)
        next = Mutex(began + delay)
    }

    /// For a command that reports seldom, such as each step before it begins: it appears at once.
    package static func ofSteps() -> ProgressBar? { ProgressBar(after: 0, every: 0, isEstimating: false) }

    package var elapsed: Duration { .nanoseconds(Meter.now(CLOCK_MONOTONIC) - began) }

    /// Shows that this part is done, from 0 to 1. Most calls only look at the clock.
    package func show(_ part: Double, _ text: @autoclosure () -> String) {
        let now = Meter.now(CLOCK_MONOTONIC)
        let isDue = next.withLock { next in
            guard now >= next else { return false }
            next = now + period
            return true
        }
        guard isDue else { return }
        let rest = isEstimating ? Self.rest(after: .nanoseconds(now - began), part) : ""
        Self.show(part, text() + rest)
    }

    /// Shows a line with a bar, or only a text if `part` is nil; cut to the width of the terminal.
    package static func show(_ part: Double?, _ text: String) {
        // A character in the last column would wrap.
        Console.show(last: "\(line(part, text, columns: (Console.columns(of: STDERR_FILENO) ?? 80) - 1))")
    }

    package static func remove() { Console.show(last: nil) }

    /// The bar if it fits, and the text, cut to this many columns.
    static func line(_ part: Double?, _ text: String, columns: Int) -> String {
        guard let part else { return String(text.prefix(max(0, columns))) }
        let done = part.isFinite ? min(max(0, part), 1) : 0
        let marks = Int(done * Double(width))
        let percent = "\(Int(done * 100))"
        let bar =
            "[\(String(repeating: "#", count: marks).padded(to: width))] "
            + "\(String(repeating: " ", count: 3 - percent.count))\(percent) %  "
        return String(((bar.count + text.count <= columns ? bar : "") + text).prefix(max(0, columns)))
    }

    /// `; about 12 s left`, once that can be known.
    static func rest(after elapsed: Duration, _ part: Double) -> String {
        guard part >= 0.01, part < 1 else { return "" }
        let seconds = (elapsed * ((1 - part) / part)).components.seconds
        return "; about \(seconds < 120 ? "\(max(1, seconds)) s" : "\(seconds / 60) min") left"
    }
}
