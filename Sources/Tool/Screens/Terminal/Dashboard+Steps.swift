import Basics
import CommandSupport

extension Dashboard {
    /// A single line, or the month: its sum, and a bar, badges and number for each day.
    func drawSteps(on canvas: inout Canvas, rows: Range<Int>) {
        guard !rows.isEmpty else { return }
        drawToday(on: &canvas, rows.lowerBound)
        guard let month, rows.count >= Layout.monthOfSteps else { return }
        drawSum(of: month, on: &canvas, rows.lowerBound + 1)
        let pitch = canvas.width >= 2 * 31 + 8 ? 2 : 1
        drawBars(of: month, on: &canvas, rows: rows.lowerBound + 2..<rows.upperBound - 2, pitch)
        for day in 1...month.steps.count {
            let column = Self.column(of: day, pitch)
            let badges = month.badges(of: day)
            let sign = badges < 2 ? (badges == 1 ? "★" : "") : badges < 10 ? "\(badges)" : "+"
            canvas.write(sign, .good, row: rows.upperBound - 2, column: column)
            if day == 1 || day.isMultiple(of: 5) {
                canvas.write("\(day)", .label, row: rows.upperBound - 1, column: column)
            }
        }
    }

    private static func column(of day: Int, _ pitch: Int) -> Int { 6 + (day - 1) * pitch }

    private func drawToday(on canvas: inout Canvas, _ row: Int) {
        var pieces: [String] = []
        if let today = month?.today { pieces.append("\(grouped(UInt64(today))) today") }
        if let steps { pieces.append("\(grouped(UInt64(steps))) in all") }
        if let count = (month?.today ?? steps).map(UInt64.init) { pieces.append(contentsOf: effort(of: count)) }
        let column = canvas.write("steps", .label, row: row, column: 1)
        let style = (month?.today ?? 0) >= MonthOfSteps.goal ? Style.good : .plain
        canvas.write(pieces, between: " · ", style, row: row, column: column + 2)
    }

    private func drawSum(of month: MonthOfSteps, on canvas: inout Canvas, _ row: Int) {
        let column = canvas.write(month.day.monthName, .label, row: row, column: 1)
        let badges = "\(month.badges.counted("badge")) of \(grouped(UInt64(MonthOfSteps.goal)))"
        let pieces = ["\(grouped(month.total)) steps"] + effort(of: month.total) + [badges]
        canvas.write(pieces, between: " · ", row: row, column: column + 2)
    }

    private func effort(of steps: UInt64) -> [String] {
        [
            "\(groupedDecimal(body.distance(steps: steps) / 1000, 1)) km",
            "\(groupedDecimal(body.calories(steps: steps), 0)) kcal",
        ]
    }

    /// From 0 to the goal, or to the maximum of the days.
    private func drawBars(of month: MonthOfSteps, on canvas: inout Canvas, rows: Range<Int>, _ pitch: Int) {
        guard !rows.isEmpty else { return }
        let most = max(MonthOfSteps.goal, month.steps.compactMap { $0 }.max() ?? 0)
        canvas.write("\(most / 1000)k", .label, row: rows.lowerBound, before: 5)
        for (index, steps) in month.steps.enumerated() {
            guard let steps, steps > 0 else { continue }
            let eighths = max(1, Int(UInt64(steps) * UInt64(rows.count * 8) / UInt64(most)))
            for (height, row) in rows.reversed().enumerated() {
                let block = Self.block(min(8, eighths - height * 8), canvas.glyphs)
                canvas.write(
                    block, steps >= MonthOfSteps.goal ? .good : .line, row: row,
                    column: Self.column(of: index + 1, pitch))
            }
        }
    }

    /// A bar of `eighths` of a character.
    private static func block(_ eighths: Int, _ glyphs: Glyphs) -> String {
        guard eighths > 0 else { return "" }
        switch glyphs {
        case .unicode: return Unicode.Scalar(0x2580 + UInt32(eighths)).map { String(Character($0)) } ?? ""
        case .ascii: return eighths > 4 ? "#" : "."
        }
    }
}
