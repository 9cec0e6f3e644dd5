import CommandSupport

extension Dashboard {
    /// The columns before a chart, for its bounds.
    private static let gutter = 6

    func drawChart(on canvas: inout Canvas, rows: Range<Int>) {
        let known = history.rates.compactMap { $0 }
        let bounds = Self.bounds(known, of: 10, atLeast: 20) ?? 50...100
        let rates = history.window
        let title = ["heart rate", "the last \(rates.count)"]
        draw(title, rates, within: bounds, on: &canvas, rows: rows, label: { "\($0)" })
    }

    /// The seconds that fit at 20 columns per second.
    func drawECG(on canvas: inout Canvas, rows: Range<Int>) {
        guard let ecg, !rows.isEmpty else { return }
        let seconds = min(max((canvas.width - Self.gutter) / 20, 2), ECGStrip.length)
        let samples = ecg.last(seconds: seconds)
        let bounds = Self.bounds(samples.compactMap { $0 }, of: 500, atLeast: 1000) ?? -500...1000
        let title = ["ECG in mV", "the last \(seconds) s", "\(ecg.rate) Hz"]
        let column = draw(
            title, samples, within: bounds, on: &canvas, rows: rows, label: { groupedDecimal(Double($0) / 1000, 1) })
        if isLeadOff { canvas.write("lead off", .warning, row: rows.lowerBound, column: column + 2) }
    }

    /// The multiples of `step` that contain all values, at least `span` apart; nil without values.
    private static func bounds(_ values: [Int], of step: Int, atLeast span: Int) -> ClosedRange<Int>? {
        guard let low = values.min(), let high = values.max() else { return nil }
        let lower = low / step * step - (low < 0 && low % step != 0 ? step : 0)
        let upper = high / step * step + (high > 0 && high % step != 0 ? step : 0)
        let missing = max(0, span - (upper - lower))
        // Extended on both sides, but not below 0.
        let below = min(missing / (2 * step) * step, low < 0 ? .max : lower)
        return lower - below...upper + missing - below
    }

    /// Returns the column after the title.
    @discardableResult
    private func draw(
        _ title: [String], _ values: [Int?], within bounds: ClosedRange<Int>, on canvas: inout Canvas,
        rows: Range<Int>, label: (Int) -> String
    ) -> Int {
        guard rows.count > 1 else { return 1 }
        let column = canvas.write(title, between: ", ", .label, row: rows.lowerBound, column: 1)
        let top = rows.lowerBound + 1
        var plot = Plot(columns: canvas.width - Self.gutter - 1, rows: rows.count - 1, canvas.glyphs)
        plot.draw(values, within: bounds)
        for row in 0..<rows.count - 1 {
            canvas.write(plot.text(row: row), .line, row: top + row, column: Self.gutter)
        }
        canvas.write(label(bounds.upperBound), .label, row: top, before: Self.gutter - 1)
        canvas.write(label(bounds.lowerBound), .label, row: rows.upperBound - 1, before: Self.gutter - 1)
        return column
    }
}
