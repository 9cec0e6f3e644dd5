/// The control sequences for a status line that stays below all other lines of a terminal.
///
/// Each `show` allows one drawing, now or after the next line, which limits the rate of drawing.
struct LastLine: Sendable {
    private static let erasure = "\r\u{1B}[K"

    private var text: String?
    private var drawn: String?  // what the terminal shows
    private var mayDraw = false

    /// Sets the line, or removes it when nil; returns what to write.
    package mutating func show(_ text: String?) -> String {
        (self.text, mayDraw) = (text, true)
        guard text != nil else { return erase() }
        return text == drawn ? "" : draw()
    }

    /// Returns what to write before another line.
    package mutating func erase() -> String {
        defer { drawn = nil }
        return drawn == nil ? "" : Self.erasure
    }

    /// Returns what to write after another line.
    package mutating func draw() -> String {
        guard let text, mayDraw else { return "" }
        (drawn, mayDraw) = (text, false)
        return "\r\(text)\u{1B}[K"
    }
}
