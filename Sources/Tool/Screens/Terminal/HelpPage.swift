import Basics
import CommandSupport

/// The page that explains the keys and the numbers of `monitor`'s screen.
struct HelpPage: Sendable {
    private struct Section {
        let title: String
        let rows: [(term: String, text: String)]
    }

    private static let margin = 2
    private static let gap = 2

    private static let sections = [
        Section(title: "Keys", rows: MonitorKey.allCases.map { ("\($0.rawValue)", $0.explanation) }),
        Section(title: "Statistics of heart rates", rows: Statistic.Name.allCases.map { ($0.label, $0.explanation) }),
        Section(
            title: "Rhythm",
            rows: [
                ("RR interval", "the time between the last two beats, as the device sends it"),
                (
                    "RMSSD",
                    "heart rate variability: the root mean square of the differences of successive RR intervals, over"
                        + " \(HeartRateVariability.window / 60) min (Task Force of the ESC and NASPE, 1996)"
                ),
                ("pairs", "the successive intervals that count, at least \(HeartRateVariability.leastPairs)"),
                ("left out", "the others: longer than 2 s, shorter than 0.3 s, or different by more than a fifth"),
            ]),
        Section(
            title: "Thermometer",
            rows: [("intermediate", "a temperature while the thermometer still measures; then it has a result")]),
    ]

    /// Exactly `height` rows of at most `width` columns; the last ones are missing if there are too few.
    static func rows(width: Int, height: Int, _ glyphs: Glyphs) -> [ScreenRow] {
        var canvas = Canvas(width: width, height: height, glyphs)
        let term = sections.flatMap(\.rows).map(\.term.count).max() ?? 0
        let column = margin + term + gap
        var row = 0
        for (index, section) in sections.enumerated() {
            if index > 0 { row += 1 }
            canvas.write(section.title, .heading, row: row, column: 1)
            row += 1
            for (name, text) in section.rows {
                canvas.write(name, .label, row: row, column: margin)
                for line in text.wrapped(to: max(1, canvas.width - column)) {
                    canvas.write(cutting: line, row: row, column: column)
                    row += 1
                }
            }
        }
        return canvas.rows
    }
}

extension Statistic.Name {
    /// Its name on the screen.
    var label: String {
        switch self {
        case .average: "average"
        case .resting: "resting"
        case .mostFrequent: "frequent"
        }
    }

    fileprivate var explanation: String {
        let count = grouped(UInt64(count))
        return switch self {
        case .average: "the mean of the last \(count)"
        case .resting: "the mean of the last \(count) below \(Statistic.restingBound) bpm"
        case .mostFrequent: "the most frequent of the last \(count)"
        }
    }
}
