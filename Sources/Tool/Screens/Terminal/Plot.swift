/// A line chart of dots: 2 × 4 dots per character with Braille patterns, 1 × 2 with ASCII.
struct Plot {
    private let columns: Int
    private let rows: Int
    private let glyphs: Glyphs
    private var dots: [Bool]

    /// The size is in characters.
    init(columns: Int, rows: Int, _ glyphs: Glyphs) {
        (self.columns, self.rows, self.glyphs) = (max(0, columns), max(0, rows), glyphs)
        dots = []
        dots = Array(repeating: false, count: width * height)
    }

    private var width: Int { glyphs == .unicode ? columns * 2 : columns }
    private var height: Int { glyphs == .unicode ? rows * 4 : rows * 2 }

    /// Draws values evenly over the width; `nil` is a gap. Values beyond `bounds` are drawn at the edge.
    package mutating func draw(_ values: some RandomAccessCollection<Int?>, within bounds: ClosedRange<Int>) {
        guard width > 0, height > 0, !values.isEmpty else { return }
        var former: ClosedRange<Int>?
        for x in 0..<width {
            let first = x * values.count / width
            let last = max(first + 1, (x + 1) * values.count / width)
            let part = values.dropFirst(first).prefix(last - first).lazy.compactMap { $0 }
            guard let low = part.min(), let high = part.max() else {
                former = nil
                continue
            }
            var span = y(of: low, bounds)...y(of: high, bounds)
            let own = span
            if let former, former.upperBound < span.lowerBound { span = former.upperBound + 1...span.upperBound }
            if let former, former.lowerBound > span.upperBound { span = span.lowerBound...former.lowerBound - 1 }
            for y in span { dots[(height - 1 - y) * width + x] = true }
            former = own
        }
    }

    private func y(of value: Int, _ bounds: ClosedRange<Int>) -> Int {
        let value = min(max(value, bounds.lowerBound), bounds.upperBound)
        let range = max(1, bounds.upperBound - bounds.lowerBound)
        return ((value - bounds.lowerBound) * (height - 1) + range / 2) / range
    }

    /// The characters of a row, from the top.
    package func text(row: Int) -> String {
        guard (0..<rows) ~= row else { return "" }
        return String((0..<columns).map { glyphs == .unicode ? braille(row, $0) : ascii(row, $0) })
    }

    /// Dots 1 2 3 7 are the left column from the top, 4 5 6 8 the right one; dot n is bit n − 1 above U+2800.
    private func braille(_ row: Int, _ column: Int) -> Character {
        var bits: UInt32 = 0
        for (y, pair) in Self.brailleBits.enumerated() {
            let place = (row * 4 + y) * width + column * 2
            if dots[place] { bits |= pair.left }
            if dots[place + 1] { bits |= pair.right }
        }
        return bits == 0 ? " " : Unicode.Scalar(0x2800 + bits).map { Character($0) } ?? " "
    }

    private static let brailleBits: [(left: UInt32, right: UInt32)] = [
        (0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80),
    ]

    private func ascii(_ row: Int, _ column: Int) -> Character {
        let place = row * 2 * width + column
        return switch (dots[place], dots[place + width]) {
        case (true, true): ":"
        case (true, false): "'"
        case (false, true): "."
        case (false, false): " "
        }
    }
}
