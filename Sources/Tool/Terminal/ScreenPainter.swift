/// What to write to a terminal so that it shows rows: ECMA-48 control sequences, for rows that have changed only.
public struct ScreenPainter: Sendable {
    /// Takes a terminal's other screen, hides its cursor, and lets no row go on in the next one; xterm's private modes.
    public static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
    /// Undoes it, in the opposite order: the screen is as it was.
    public static let leaving = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private let isColoured: Bool
    private var shown: [ScreenRow] = []

    /// For a terminal that shows nothing yet.
    public init(isColoured: Bool) { self.isColoured = isColoured }

    /// The terminal shows something else: the next rows are written as a whole, on an empty screen.
    public mutating func forget() { shown = [] }

    /// Makes the terminal, of so many columns, show these rows; empty when it already does.
    public mutating func paint(_ rows: [ScreenRow], width: Int) -> String {
        var text = shown.count == rows.count ? "" : "\u{1B}[0m\u{1B}[2J"
        if shown.count != rows.count { shown = Array(repeating: ScreenRow(), count: rows.count) }
        for (index, row) in rows.enumerated() where row != shown[index] {
            text += "\u{1B}[\(index + 1);1H"
            for run in row.runs { text += dressed(run) }
            // In a row that is full, it would erase the last character.
            if row.columns < width { text += "\u{1B}[K" }
        }
        shown = rows
        return text
    }

    private func dressed(_ run: ScreenRow.Run) -> String {
        guard isColoured, run.style != .plain else { return run.text }
        return "\u{1B}[\(run.style.rendition)m\(run.text)\u{1B}[0m"
    }
}

extension Style {
    /// The parameters of Select Graphic Rendition: ECMA-48, section 8.3.117.
    fileprivate var rendition: String {
        switch self {
        case .plain: "0"
        case .label: "2"
        case .heading: "1"
        case .heart: "1;31"
        case .line: "36"
        case .good: "32"
        case .warning: "33"
        }
    }
}
