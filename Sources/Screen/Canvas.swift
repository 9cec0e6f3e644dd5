/// Characters in rows and columns. What would be outside is left out, whatever the size.
struct Canvas {
    private struct Cell {
        var character: Character = " "
        var style = Style.plain
        /// The right half of the wide character before it.
        var isCovered = false
    }

    let width: Int
    let height: Int
    let glyphs: Glyphs
    private var cells: [Cell]

    /// Empty, with at most 1000 columns and rows.
    init(width: Int, height: Int, _ glyphs: Glyphs) {
        self.width = min(max(0, width), 1000)
        self.height = min(max(0, height), 1000)
        self.glyphs = glyphs
        cells = Array(repeating: Cell(), count: self.width * self.height)
    }

    /// Writes text from a column on, and returns the column behind it; a wide character has both halves or none.
    @discardableResult
    mutating func write(
        _ text: some StringProtocol, _ style: Style = .plain, row: Int, column: Int, upTo end: Int = .max
    ) -> Int {
        let end = min(end, width)
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

    /// Writes text so that it ends in front of a column.
    mutating func write(_ text: String, _ style: Style = .plain, row: Int, before end: Int) {
        write(text, style, row: row, column: end - text.reduce(0) { $0 + $1.columns }, upTo: end)
    }

    private mutating func put(_ character: Character, _ columns: Int, _ style: Style, _ row: Int, _ column: Int) {
        guard (0..<height) ~= row, column >= 0, column + columns <= width else { return }
        let place = row * width + column
        cells[place] = Cell(character: shown(character), style: style)
        if columns == 2 {
            cells[place + 1] = Cell(style: style, isCovered: glyphs == .unicode)
        }
    }

    private func shown(_ character: Character) -> Character {
        guard glyphs == .ascii, !character.isASCII else { return character }
        return Self.substitutes[character] ?? "?"
    }

    private static let substitutes: [Character: Character] = ["–": "-", "·": "|", "♥": "*", "★": "*", "°": " "]

    /// What has been written, as rows.
    var rows: [ScreenRow] { (0..<height).map { row(cells[$0 * width..<($0 + 1) * width]) } }

    private func row(_ cells: ArraySlice<Cell>) -> ScreenRow {
        var row = ScreenRow()
        let last = cells.lastIndex { $0.character != " " || $0.isCovered } ?? cells.startIndex - 1
        for cell in cells[cells.startIndex..<last + 1] {
            row.columns += 1
            guard !cell.isCovered else { continue }
            if row.runs.last?.style == cell.style {
                row.runs[row.runs.count - 1].text.append(cell.character)
            } else {
                row.runs.append(ScreenRow.Run(text: String(cell.character), style: cell.style))
            }
        }
        return row
    }
}
