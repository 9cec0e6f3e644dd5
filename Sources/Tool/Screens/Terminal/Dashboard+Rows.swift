import Basics
import CommandSupport

extension Dashboard {
    /// The screen: exactly `height` rows of at most `width` columns.
    func rows(width: Int, height: Int, _ glyphs: Glyphs, at now: Instant) -> [ScreenRow] {
        var canvas = Canvas(width: width, height: height, glyphs)
        let layout = Layout(
            width: canvas.width, height: canvas.height, facts: shownFacts.count, hasRhythm: hasRhythm,
            hasECG: ecg != nil, hasSteps: steps != nil || month != nil)
        var row = 0
        if layout.header > 0 { drawHeader(on: &canvas, row, now) }
        row += layout.header + layout.gap
        let digits = LargeDigits.rows(bpm.map { "\($0)" } ?? "--", glyphs)
        if layout.pulse >= Layout.largePulse, 2 + (digits.first?.count ?? 0) <= canvas.width {
            drawLargePulse(digits, on: &canvas, rows: row..<row + layout.pulse, withStatistics: layout.statistics == 0)
        } else {
            drawLine(
                of: shownFacts.filter { $0.0.value != unknown }, behind: drawRate(on: &canvas, row), on: &canvas, row)
        }
        row += layout.pulse
        if layout.statistics > 0 { drawLine(of: statisticFacts, behind: -1, on: &canvas, row) }
        row += layout.statistics
        if layout.rhythm > 0 { drawLine(of: rhythmFacts, behind: -1, on: &canvas, row) }
        row += layout.rhythm
        drawChart(on: &canvas, rows: row..<row + layout.chart)
        row += layout.chart
        drawECG(on: &canvas, rows: row..<row + layout.ecg)
        row += layout.ecg
        drawSteps(on: &canvas, rows: row..<row + layout.steps)
        if layout.footer > 0 { drawFooter(on: &canvas) }
        return canvas.rows
    }

    // MARK: Head and foot

    private func drawHeader(on canvas: inout Canvas, _ row: Int, _ now: Instant) {
        let session = session(at: now).map { "session \(clock($0))" } ?? ""
        let end = max(0, canvas.width - session.count - 3)
        let (words, style) = wording(of: link)
        let endOfDevice = end - words.count - 2
        var column = 1
        if let name {
            let text = name.quoted.dropFirst().dropLast()
            column = canvas.write(cutting: text, .heading, row: row, column: column, upTo: endOfDevice)
        }
        if let address {
            let gap = column > 1 ? 2 : 0
            let behind = canvas.write(address, .heading, row: row, column: column + gap, upTo: endOfDevice)
            if behind > column + gap { column = behind }
        }
        canvas.write(cutting: words, style, row: row, column: column > 1 ? column + 2 : 1, upTo: end)
        canvas.write(session, row: row, before: canvas.width - 1)
    }

    private func wording(of link: Link) -> (String, Style) {
        switch link {
        case .scanning: ("scanning", .label)
        case .connecting: ("connecting", .label)
        case .connected: ("connected", .plain)
        case .subscribed: ("subscribed", .good)
        case .disconnected(let reason): ("disconnected: \(reason)", .warning)
        }
    }

    private func drawFooter(on canvas: inout Canvas) {
        if let problem {
            let text = problem.quoted.dropFirst().dropLast()
            canvas.write(cutting: text, .warning, row: canvas.height - 1, column: 1)
        } else {
            let keys = MonitorKey.allCases.map { "\($0.rawValue) \($0.effect)" }
            canvas.write(keys, between: ", ", .label, row: canvas.height - 1, column: 1)
        }
    }

    // MARK: Heart rate and single values

    private func drawLargePulse(
        _ digits: [String], on canvas: inout Canvas, rows: Range<Int>, withStatistics: Bool
    ) {
        let row = rows.lowerBound
        for (index, text) in digits.enumerated() { canvas.write(text, .heart, row: row + index, column: 2) }
        let column = max(15, 4 + (digits.first?.count ?? 0))
        canvas.write("bpm", .heart, row: row + 1, column: column)
        if let energy { canvas.write("\(energy) kJ", row: row + 2, column: column) }
        drawColumn(of: shownFacts, on: &canvas, rows, column + 9, gap: 13)
        if withStatistics { drawColumn(of: statisticFacts, on: &canvas, rows, column + 35, gap: 15) }
    }

    /// Returns the column after it.
    private func drawRate(on canvas: inout Canvas, _ row: Int) -> Int {
        let column = canvas.write(bpm.map { "\($0)" } ?? unknown, .heart, row: row, column: 1)
        return column > 1 ? canvas.write(" bpm", .heart, row: row, column: column) : column
    }

    private typealias Shown = (label: String, value: String)

    private var shownFacts: [(Shown, Style)] {
        [(("contact", contact.map { $0 ? "yes" : "no" } ?? unknown), contact == false ? .warning : .plain)]
            + facts.map { (($0.label, $0.value ?? unknown), $0.isWarning ? .warning : .plain) }
    }

    private var statisticFacts: [(Shown, Style)] {
        Statistic.Name.allCases.map { name in
            let places = name == .mostFrequent ? 0 : 1
            return ((name.label, statistics[name].map { groupedDecimal($0.value, places) } ?? unknown), .heading)
        }
    }

    private var rhythmFacts: [(Shown, Style)] {
        let interval = rrInterval.map { "\(groupedDecimal(Double($0) * 1000 / 1024, 0)) ms" }
        let variation = variability.rmssd.map { "\(groupedDecimal($0, 1)) ms" }
        return [
            (("RR interval", interval ?? unknown), .plain), (("RMSSD", variation ?? unknown), .heading),
            (("pairs", grouped(UInt64(variability.pairs))), .plain),
            (("left out", grouped(UInt64(variability.leftOut))), .plain),
        ]
    }

    /// As many fields as fit.
    private func drawLine(of facts: [(Shown, Style)], behind end: Int, on canvas: inout Canvas, _ row: Int) {
        var column = end
        for (fact, style) in facts where column + 3 + fact.label.count + fact.value.count <= canvas.width {
            column = canvas.write(fact.label, .label, row: row, column: column + 2)
            column = canvas.write(fact.value, style, row: row, column: column + 1)
        }
    }

    private func drawColumn(
        of facts: [(Shown, Style)], on canvas: inout Canvas, _ rows: Range<Int>, _ column: Int, gap: Int
    ) {
        for ((fact, style), row) in zip(facts, rows) where column + gap + fact.value.columns <= canvas.width {
            canvas.write(fact.label, .label, row: row, column: column)
            canvas.write(fact.value, style, row: row, column: column + gap)
        }
    }
}
