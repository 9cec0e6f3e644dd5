/// The role of a text on the screen.
package enum Style: Sendable {
    case plain
    /// The title of the text that follows.
    case label
    case heading
    /// A heart rate, large.
    case heart
    case line
    /// A goal that was reached.
    case good
    case warning
}

/// The characters that a screen is drawn with.
package enum Glyphs: Sendable {
    /// Braille patterns, blocks and box drawings.
    case unicode
    /// Printable ASCII only.
    case ascii
}

/// A row of the screen, without trailing spaces.
package struct ScreenRow: Equatable, Sendable {
    /// Characters of one style.
    package struct Run: Equatable, Sendable {
        package var text: String
        package let style: Style
    }

    package internal(set) var runs: [Run] = []
    /// The number of columns up to the last character.
    package internal(set) var columns = 0

    /// The characters without styles.
    package var text: String { runs.map(\.text).joined() }
}
