/// The role of a text on the screen.
enum Style: Sendable {
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
enum Glyphs: Sendable {
    /// Braille patterns, blocks and box drawings.
    case unicode
    /// Printable ASCII only.
    case ascii
}

/// A row of the screen, without trailing spaces.
struct ScreenRow: Equatable, Sendable {
    /// Characters of one style.
    struct Run: Equatable, Sendable {
        var text: String
        let style: Style
    }

    var runs: [Run] = []
    /// The number of columns up to the last character.
    var columns = 0

    /// The characters without styles.
    var text: String { runs.map(\.text).joined() }
}
