/// The line of a terminal that stays the last, while others are printed above it: what is to be written for that.
///
/// A machine without a clock and a terminal.  It is drawn five times a second at the most; what comes earlier waits for
/// the next `show` or the next line.
struct LastLine: Sendable {
    /// Between two drawings.
    static let pause = Duration.milliseconds(200)
    private static let erasure = "\r\u{1B}[K"

    private var text: String?
    private var drawn: String?  // what stands there now
    private var drawnAt: ContinuousClock.Instant?

    /// From now on it says this, or is gone when nil: what to write.
    mutating func show(_ text: String?, at now: ContinuousClock.Instant) -> String {
        self.text = text
        guard text != nil else { return erase() }
        return text == drawn ? "" : draw(at: now)
    }

    /// What to write in front of another line.
    mutating func erase() -> String {
        defer { drawn = nil }
        return drawn == nil ? "" : Self.erasure
    }

    /// What to write behind another line, or when it is time.
    mutating func draw(at now: ContinuousClock.Instant) -> String {
        guard let text else { return "" }
        if let drawnAt, drawnAt.duration(to: now) < Self.pause { return "" }
        (drawn, drawnAt) = (text, now)
        return "\r\(text)\u{1B}[K"
    }
}
