import Basics

/// A grid of characters; text outside it is dropped.
struct Canvas {
    private struct Cell {
        package var text = " "
        package var style = Style.plain
        /// The second column of a wide character.
        package var isCovered = false
    }

    package let width: Int
    package let height: Int
    let glyphs: Glyphs
    private var cells: [Cell]

    /// An empty canvas of at most 1000 columns and rows.
    init(width: Int, height: Int, _ glyphs: Glyphs) {
        self.width = min(max(0, width), 1000)
        self.height = min(max(0, height), 1000)
        self.glyphs = glyphs
        cells = Array(repeating: Cell(), count: self.width * self.height)
    }

    /// Writes a field at a column if all of it fits: a truncated number would be another number.  Returns the column after
    /// it.
    @discardableResult
    package mutating func write(
        _ field: some StringProtocol, _ style: Style = .plain, row: Int, column: Int, upTo end: Int = .max
    ) -> Int {
        guard column >= 0, column <= width, field.columns <= min(end, width) - column else { return column }
        return put(field, style, row, column, upTo: min(end, width))
    }

    /// Writes a field that ends before a column, if all of it fits.
    package mutating func write(_ field: String, _ style: Style = .plain, row: Int, before end: Int) {
        write(field, style, row: row, column: end - field.columns, upTo: end)
    }

    /// Writes as many fields as fit.  Returns the column after the last one.
    @discardableResult
    package mutating func write(
        _ fields: [String], between separator: String, _ style: Style = .plain, row: Int, column: Int
    ) -> Int {
        var end = column
        for field in fields {
            let text = end == column ? field : separator + field
            guard text.columns <= width - end else { break }
            end = write(text, style, row: row, column: end)
        }
        return end
    }

    /// Writes a text, truncated with three dots if it does not fit.  Returns the column after it.
    @discardableResult
    package mutating func write(
        cutting text: some StringProtocol, _ style: Style = .plain, row: Int, column: Int, upTo end: Int = .max
    ) -> Int {
        let end = min(end, width)
        guard column >= 0, column < end else { return column }
        guard text.columns > end - column else { return put(text, style, row, column, upTo: end) }
        return put("…", style, row, put(text, style, row, column, upTo: end - 1), upTo: end)
    }

    /// As much of a text as fits; a wide character is not split.
    private mutating func put(
        _ text: some StringProtocol, _ style: Style, _ row: Int, _ column: Int, upTo end: Int
    ) -> Int {
        var place = column
        for character in text {
            let columns = character.columns
            guard columns > 0 else { continue }
            guard columns <= end - place else { break }
            put(character, columns, style, row, place)
            place += columns
        }
        return place
    }

    private mutating func put(_ character: Character, _ columns: Int, _ style: Style, _ row: Int, _ column: Int) {
        guard (0..<height) ~= row else { return }
        let place = row * width + column
        cells[place] = Cell(text: shown(character), style: style)
        for covered in place + 1..<place + columns {
            cells[covered] = Cell(style: style, isCovered: glyphs == .unicode)
        }
    }

    private func shown(_ character: Character) -> String {
        // It would not be drawn, but obeyed.
        guard !character.unicodeScalars.contains(where: \.isControl) else {
            return String(repeating: "?", count: character.columns)
        }
        guard glyphs == .ascii, !character.isASCII else { return character.drawn }
        return Self.substitutes[character] ?? "?"
    }

    private static let substitutes: [Character: String] = [
        "–": "-", "·": "|", "♥": "*", "★": "*", "°": " ", "…": ".",
    ]

    package var rows: [ScreenRow] { (0..<height).map { row(cells[$0 * width..<($0 + 1) * width]) } }

    private func row(_ cells: ArraySlice<Cell>) -> ScreenRow {
        var row = ScreenRow()
        let last = cells.lastIndex { $0.text != " " || $0.isCovered } ?? cells.startIndex - 1
        for cell in cells[cells.startIndex..<last + 1] {
            row.columns += 1
            guard !cell.isCovered else { continue }
            if row.runs.last?.style == cell.style {
                row.runs[row.runs.count - 1].text += cell.text
            } else {
                row.runs.append(ScreenRow.Run(text: cell.text, style: cell.style))
            }
        }
        return row
    }
}
