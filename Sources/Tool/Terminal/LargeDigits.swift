/// Digits of three rows and three columns each, from seven strokes.
enum LargeDigits {
    package static let height = 3

    /// The rows of a number of digits, with a column between two; anything else is a dash.
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
