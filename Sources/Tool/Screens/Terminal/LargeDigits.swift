/// Seven-segment digits of three rows and three columns.
enum LargeDigits {
    package static let height = 3

    /// The rows of a number, with a column between digits; other characters are dashes.
    package static func rows(_ text: String, _ glyphs: Glyphs) -> [String] {
        (0..<height).map { row in
            text.map { digit in
                let strokes = digit.wholeNumberValue ?? 10
                return glyphs == .unicode ? boxes[strokes][row] : lines[strokes][row]
            }.joined(separator: " ")
        }
    }

    /// The digits from 0, and a dash.
    private static let boxes = [
        ["┏━┓", "┃ ┃", "┗━┛"], [" ╻ ", " ┃ ", " ╹ "], ["╺━┓", "┏━┛", "┗━╸"], ["╺━┓", " ━┫", "╺━┛"],
        ["╻ ╻", "┗━┫", "  ╹"], ["┏━╸", "┗━┓", "╺━┛"], ["┏━╸", "┣━┓", "┗━┛"], ["╺━┓", "  ┃", "  ╹"],
        ["┏━┓", "┣━┫", "┗━┛"], ["┏━┓", "┗━┫", "╺━┛"], ["   ", "╺━╸", "   "],
    ]
    private static let lines = [
        [" _ ", "| |", "|_|"], ["   ", " | ", " | "], [" _ ", " _|", "|_ "], [" _ ", " _|", " _|"],
        ["   ", "|_|", "  |"], [" _ ", "|_ ", " _|"], [" _ ", "|_ ", "|_|"], [" _ ", "  |", "  |"],
        [" _ ", "|_|", "|_|"], [" _ ", "|_|", " _|"], ["   ", " _ ", "   "],
    ]
}
