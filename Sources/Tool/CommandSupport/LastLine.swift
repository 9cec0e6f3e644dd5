/// The line of a terminal that stays the last, while others are printed above it: what is to be written for that.
///
/// A machine without a clock and a terminal.  Each `show` allows one drawing, now or behind the next line, so that it is
/// drawn no more often than somebody calls that.
struct LastLine: Sendable {
    private static let erasure = "\r\u{1B}[K"

    private var text: String?
    private var drawn: String?  // what stands there now
    private var mayDraw = false

    /// From now on it says this, or is gone when nil: what to write.
    package mutating func show(_ text: String?) -> String {
        (self.text, mayDraw) = (text, true)
        guard text != nil else { return erase() }
        return text == drawn ? "" : draw()
    }

    /// What to write in front of another line.
    package mutating func erase() -> String {
        defer { drawn = nil }
        return drawn == nil ? "" : Self.erasure
    }

    /// What to write behind another line.
    package mutating func draw() -> String {
        guard let text, mayDraw else { return "" }
        (drawn, mayDraw) = (text, false)
        return "\r\(text)\u{1B}[K"
    }
}
