/// The ECMA-48 control sequences that show rows on a terminal; unchanged rows are skipped.
struct ScreenPainter: Sendable {
    /// Switches to the alternate screen, hides the cursor, and disables line wrap: xterm's private modes.
    static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
    /// Undoes `entering` in reverse order.
    static let leaving = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private let isColoured: Bool
    private var shown: [ScreenRow] = []

    /// A painter for an empty screen.
    init(isColoured: Bool) { self.isColoured = isColoured }

    /// Makes the next `paint` redraw the whole screen.
    mutating func forget() { shown = [] }

    /// The sequences that show `rows` on a terminal of `width` columns; empty when it already shows them.
    mutating func paint(_ rows: [ScreenRow], width: Int) -> String {
        var text = shown.count == rows.count ? "" : "\u{1B}[0m\u{1B}[2J"
        if shown.count != rows.count { shown = Array(repeating: ScreenRow(), count: rows.count) }
        for (index, row) in rows.enumerated() where row != shown[index] {
            text += "\u{1B}[\(index + 1);1H"
            for run in row.runs { text += dressed(run) }
            // In a full row, this would erase the last character.
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
