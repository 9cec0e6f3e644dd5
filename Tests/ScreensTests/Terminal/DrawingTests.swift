import Testing

@testable import Screens

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("a", 1), ("é", 1), ("e\u{301}", 1), ("心", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("❤", 1), ("🫀", 2), ("👩‍⚕️", 2),
        ("\u{301}", 0), ("\u{200D}", 0), ("━", 1), ("⣿", 1), ("🇩🇪", 2), ("\u{20000}", 2),
        ("❤\u{FE0F}", 1), ("⌚\u{FE0E}", 2), ("👍🏽", 2), ("👨‍👩‍👧", 2), ("1\u{FE0F}\u{20E3}", 1),
        ("\u{1112}\u{1161}\u{11AB}", 2),
        ("🏴\u{E0067}\u{E0062}\u{E007F}", 2), ("©\u{FE0F}", 1),
    ]) func `columns of a character`(text: String, columns: Int) {
        #expect(text.map(\.columns) == [columns])
    }
}

@Suite struct CanvasTests {
    /// Terminals give what is made of several emoji as many columns as they think right, and what follows would move.
    @Test(arguments: [
        ("❤\u{FE0F}a", "❤a"), ("👩‍⚕️a", "👩a"), ("👍🏽a", "👍a"), ("🇩🇪a", "🇩🇪a"), ("1\u{FE0F}\u{20E3}a", "1\u{20E3}a"),
        ("e\u{301}a", "e\u{301}a"), ("क\u{94D}\u{200D}षa", "क\u{94D}षa"),
    ]) func `what terminals do not agree on is not drawn`(text: String, drawn: String) {
        var canvas = Canvas(width: 9, height: 1, .unicode)
        canvas.write(text, row: 0, column: 0)
        #expect(canvas.rows.map { Array($0.text.unicodeScalars) } == [Array(drawn.unicodeScalars)])
    }

    @Test func `what is outside is left out`() {
        var canvas = Canvas(width: 5, height: 2, .unicode)
        for (row, column) in [(-1, 0), (2, 0), (0, 5), (0, -1), (.max, .max - 10), (.min, -10)] {
            canvas.write("x", row: row, column: column)
        }
        #expect(canvas.rows.map(\.text) == ["", ""])
        #expect(canvas.write("ab", row: 0, column: 3) == 5)
        canvas.write("12", row: 1, before: 2)
        #expect(canvas.rows.map(\.text) == ["   ab", "12"])
    }

    @Test func `a field is whole or absent, and truncated text shows it`() {
        var canvas = Canvas(width: 5, height: 5, .unicode)
        #expect(canvas.write("123", row: 0, column: 3) == 3)
        canvas.write("123", row: 0, before: 2)
        #expect(canvas.write(cutting: "abc", row: 1, column: 3) == 5)
        #expect(canvas.write(cutting: "abc", row: 2, column: 2) == 5)
        #expect(canvas.write(["1", "23", "4"], between: "·", row: 3, column: 0) == 4)
        #expect(canvas.write(["123456", "7"], between: "·", row: 4, column: 0) == 0)
        #expect(canvas.rows.map(\.text) == ["", "   a…", "  abc", "1·23", ""])
    }

    @Test func `a wide character has both halves or none`() {
        var canvas = Canvas(width: 5, height: 2, .unicode)
        canvas.write(cutting: "心拍計", row: 0, column: 0, upTo: 4)
        canvas.write("a心", row: 1, column: 0, upTo: 3)
        #expect(canvas.rows.map(\.text) == ["心…", "a心"])
        #expect(canvas.rows.map(\.columns) == [3, 3])
        var ascii = Canvas(width: 5, height: 1, .ascii)
        ascii.write("心–·é", row: 0, column: 0)
        #expect(ascii.rows.map(\.text) == ["? -|?"])
    }

    @Test func `runs of one style are joined`() {
        var canvas = Canvas(width: 9, height: 1, .unicode)
        canvas.write("12", .heart, row: 0, column: 0)
        canvas.write("3", .heart, row: 0, column: 2)
        canvas.write("bpm", .label, row: 0, column: 4)
        #expect(
            canvas.rows[0].runs == [
                ScreenRow.Run(text: "123", style: .heart), ScreenRow.Run(text: " ", style: .plain),
                ScreenRow.Run(text: "bpm", style: .label),
            ])
    }
}

@Suite struct PlotTests {
    private func text(_ values: [Int?], columns: Int, rows: Int, _ glyphs: Glyphs = .unicode) -> [String] {
        var plot = Plot(columns: columns, rows: rows, glyphs)
        plot.draw(values, within: 0...7)
        return (0..<rows).map { plot.text(row: $0) }
    }

    @Test func `a line from below to above, with nothing between neighbours`() {
        #expect(text([0, 1, 2, 3, 4, 5, 6, 7], columns: 4, rows: 2) == ["  ⡠⠊", "⡠⠊  "])
        #expect(text([0, 7], columns: 1, rows: 2) == ["⢸", "⡸"])
        #expect(text([7, 0], columns: 1, rows: 2) == ["⢱", "⢸"])
    }

    @Test func `a gap is not bridged, and what is beyond is at the edge`() {
        #expect(text([0, nil, 7, 7], columns: 2, rows: 2) == [" ⠉", "⡀ "])
        #expect(text([.max, .min], columns: 1, rows: 1) == ["⢱"])
        #expect(text([nil, nil], columns: 1, rows: 1) == [" "])
    }

    @Test func `many values of one column are a stroke, and few are wide`() {
        #expect(text([0, 7, 3, 3], columns: 1, rows: 1) == ["⡧"])
        #expect(text([0], columns: 2, rows: 1) == ["⣀⣀"])
    }

    @Test func `with ASCII there are two dots in a character`() {
        #expect(text([0, 2, 5, 7], columns: 4, rows: 1, .ascii) == ["..''"])
        #expect(text([0, 7], columns: 2, rows: 1, .ascii) == [".'"])
    }

    @Test(arguments: [(0, 0), (-1, 5), (5, -1), (1, 0), (0, 1)]) func `no room`(columns: Int, rows: Int) {
        var plot = Plot(columns: columns, rows: rows, .unicode)
        plot.draw([1, 2, 3], within: 0...7)
        #expect(plot.text(row: 0).isEmpty)
    }
}

@Suite struct ScreenPainterTests {
    private func row(_ text: String, _ style: Style = .plain) -> ScreenRow {
        var canvas = Canvas(width: 10, height: 1, .unicode)
        canvas.write(text, style, row: 0, column: 0)
        return canvas.rows[0]
    }

    @Test func `only rows that have changed are written`() {
        var painter = ScreenPainter(isColoured: true)
        #expect(
            painter.paint([row("a"), row("62", .heart), row("")], width: 10)
                == "\u{1B}[0m\u{1B}[2J\u{1B}[1;1Ha\u{1B}[K\u{1B}[2;1H\u{1B}[1;31m62\u{1B}[0m\u{1B}[K")
        #expect(painter.paint([row("a"), row("62", .heart), row("")], width: 10).isEmpty)
        #expect(
            painter.paint([row("a"), row("63", .heart), row("")], width: 10)
                == "\u{1B}[2;1H\u{1B}[1;31m63\u{1B}[0m\u{1B}[K")
        #expect(painter.paint([row("a"), row(""), row("")], width: 10) == "\u{1B}[2;1H\u{1B}[K")
        painter.forget()
        #expect(painter.paint([row("a")], width: 10) == "\u{1B}[0m\u{1B}[2J\u{1B}[1;1Ha\u{1B}[K")
    }

    @Test func `nothing is erased after a full row, and without colours there are none`() {
        var painter = ScreenPainter(isColoured: false)
        #expect(painter.paint([row("0123456789", .heart)], width: 10) == "\u{1B}[0m\u{1B}[2J\u{1B}[1;1H0123456789")
    }
}

@Suite struct WordingTests {
    @Test(arguments: [
        (0.0, 1, "0.0"), (36.55, 2, "36.55"), (-0.5, 1, "-0.5"), (12_345.678, 1, "12,345.7"),
        (-0.04, 1, "0.0"), (999.5, 0, "1,000"), (1e300, 2, "–"), (.nan, 1, "–"), (-.infinity, 0, "–"),
    ])
    func `decimals`(value: Double, places: Int, text: String) { #expect(groupedDecimal(value, places) == text) }

    @Test func `thousands and clocks`() {
        #expect(
            [0, 999, 1000, 1_002_003, UInt64.max].map(grouped)
                == ["0", "999", "1,000", "1,002,003", "18,446,744,073,709,551,615"])
        #expect(
            [0, 59, 3599, 3600, 360_000].map { clock(.seconds($0)) }
                == ["0:00:00", "0:00:59", "0:59:59", "1:00:00", "100:00:00"])
        #expect(clock(.seconds(-5)) == "0:00:00")
    }
}

@Suite struct ECGStripTests {
    @Test func `samples come from the last seconds, in their order`() {
        var strip = ECGStrip(rate: 2, from: 0)
        for index in 0..<20 { strip.add([Int16(index)], at: UInt32(index)) }
        #expect(strip.last(seconds: 2) == [16, 17, 18, 19])
        #expect(strip.last(seconds: 100).count == 12)
        #expect(strip.last(seconds: -1).isEmpty)
    }

    @Test func `what was lost is a gap, and 0 follows the largest index`() {
        var strip = ECGStrip(rate: 2, from: .max - 1)
        strip.add([1, 2, 3], at: .max - 1)
        strip.add([6], at: 3)
        #expect(strip.last(seconds: 4) == [nil, nil, 1, 2, 3, nil, nil, 6][0..<8].map { $0 })
        strip.add([9], at: 3)
        #expect(strip.last(seconds: 1) == [nil, 9])
    }

    @Test(arguments: [Int.min, 0, 65536, .max]) func `any rate`(rate: Int) {
        var strip = ECGStrip(rate: rate, from: 0)
        strip.add([5], at: 0)
        #expect(strip.last(seconds: 1).last == 5)
        #expect((1...65535) ~= strip.rate)
    }
}
