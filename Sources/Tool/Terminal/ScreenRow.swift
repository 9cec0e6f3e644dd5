/// What a piece of text on the screen is.
public enum Style: Sendable {
    /// Nothing special.
    case plain
    /// Names what stands below or behind it.
    case label
    /// What the device is, and what it does.
    case heading
    /// A heart rate, large.
    case heart
    /// The line of a chart.
    case line
    /// A goal that was reached.
    case good
    /// What is not as it should be.
    case warning
}

/// With which characters a screen is drawn.
public enum Glyphs: Sendable {
    /// Braille patterns, blocks and box drawings.
    case unicode
    /// Printable ASCII only.
    case ascii
}

/// A row of the screen, with no spaces at its end.
public struct ScreenRow: Equatable, Sendable {
    /// Some characters of one style.
    public struct Run: Equatable, Sendable {
        /// What stands there.
        public var text: String
        /// What it is.
        public let style: Style
    }

    /// From left to right.
    public internal(set) var runs: [Run] = []
    /// How many columns there are up to the last character.
    public internal(set) var columns = 0

    /// All characters.
    public var text: String { runs.map(\.text).joined() }
}
