import Basics
import CommandSupport
import Linux
import Screens

extension BenchRow {
    /// The figures of a row, and Bumble's; nil if the row needs Bumble and there is none.
    ///
    /// The two are measured alternately, and the cheapest measurement of each counts: load on the machine only adds time.
    func result(comparedWith bumble: Bumble?) throws(Obstacle) -> BenchResult? {
        guard var ours = try measure(bumble) else { return nil }
        guard let bumble, let twin else { return BenchResult(word: word, name: name, figures: ours, theirs: nil) }
        var theirs = try twin.measure(bumble)
        for _ in 1..<twin.turns where ours.fault == nil {
            guard let again = try measure(bumble) else { break }
            if again.fault != nil || again.microsecondsPerItem < ours.microsecondsPerItem { ours = again }
            let theirsAgain = try twin.measure(bumble)
            if theirsAgain.microsecondsPerItem < theirs.microsecondsPerItem { theirs = theirsAgain }
        }
        return BenchResult(word: word, name: name, figures: ours, theirs: theirs)
    }

    /// The benchmarks with these names; all when there are none.
    static func selected(by words: [String]) throws(Obstacle) -> [BenchRow] {
        for word in words where !all.contains(where: { $0.word == word }) {
            let known = all.map(\.word)
            throw Obstacle(
                .usage,
                "unknown benchmark \(word.quoted)\(suggestion(for: word, among: known)); known are "
                    + known.joined(separator: ", "))
        }
        return words.isEmpty ? all : all.filter { words.contains($0.word) }
    }
}

/// A row's figures, with Bumble's where Bumble has the same row.
struct BenchResult {
    let word: String
    let name: String
    let figures: Figures
    let theirs: Bumble.Figures?

    /// Bumble's CPU time per item divided by ours, or real time divided by ours.
    var ratio: Double? { figures.speed ?? theirs.map { $0.microsecondsPerItem / figures.microsecondsPerItem } }

    /// The numbers that `--check` compares; nil where none was measured.
    var numbers: [(key: String, value: Double?)] {
        [
            ("value", figures.value), ("cpu_us_per_item", figures.microsecondsPerItem),
            ("allocations_per_item", figures.allocationsPerItem), ("ratio", ratio),
        ]
    }

    /// `{"row": …, "name": …, "value": …, "unit": …, "count": …, "cpu_us_per_item": …, …}`; null for unknown values.
    /// `peak_kib` is the process's peak memory.
    var json: String {
        func number(_ value: Double?) -> String { value.map { decimal($0, 4) } ?? "null" }
        return
            "{\"row\": \(word.quoted), \"name\": \(name.quoted), \"value\": \(number(figures.value)), \"unit\": \(figures.unit.quoted), "
            + "\"count\": \(figures.items), \"cpu_us_per_item\": \(number(figures.microsecondsPerItem)), "
            + "\"allocations_per_item\": \(number(figures.allocationsPerItem)), "
            + "\"bumble_cpu_us_per_item\": \(number(theirs?.microsecondsPerItem)), \"ratio\": \(number(ratio)), "
            + "\"peak_kib\": \(peakMemory(of: "self").map(String.init) ?? "null"), \"valid\": \(figures.fault == nil)}"
    }
}

/// The table that `bench` prints; a column is as wide as its title.
enum BenchTable {
    private static let columns: [(title: String, width: Int)] = [
        ("value", 10), ("unit", -28), ("count", 9), ("µs CPU each", 12), ("Bumble's", 10), ("ratio", 7),
    ]
    private static let nameWidth = -48

    static var head: String {
        padded("", nameWidth) + columns.map { "  " + padded($0.title, $0.width) }.joined()
    }

    static func line(_ result: BenchResult) -> String {
        let figures = result.figures
        let cells = [
            decimal(figures.value, 3), figures.unit, "\(figures.items)", decimal(figures.microsecondsPerItem, 3),
            result.theirs.map { decimal($0.microsecondsPerItem, 1) } ?? "-", result.ratio.map { decimal($0, 0) } ?? "-",
        ]
        return padded(result.name, nameWidth) + zip(cells, columns).map { "  " + padded($0, $1.width) }.joined()
    }

    /// Padded to `width` characters: on the left, or on the right when `width` is negative.
    private static func padded(_ text: String, _ width: Int) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? text + spaces : spaces + text
    }
}
