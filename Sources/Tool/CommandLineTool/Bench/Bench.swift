import Arguments
import CommandSupport
import Spelling
import Terminal

let benchGrammar = Arguments.Grammar(
    "bench", "measure what this machine can play, beside Bumble",
    operands: [.anyNumber("ROW", "only these rows: \(BenchRow.all.map(\.word).joined(separator: ", "))")],
    options: [
        .flag("--json", "print a JSON object for each row"),
        .option("--bumble", "PYTHON", "a Python that has Bumble (default .venv/bin/python, as \"make test\" makes it)"),
        .flag("--alone", "do not run Bumble"),
        .flag("--check", "fail where a row is worse than \(Expected.path) says"),
    ])

func bench(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let rows = try chosen(invocation.operands)
    let isAlone = invocation.has("--alone")
    let bumble = isAlone ? nil : Bumble(invocation.text("--bumble"))
    let isJSON = invocation.has("--json")
    if bumble == nil, !isAlone {
        Console.warn(
            "no Bumble to compare with: make test installs it, --bumble names a Python that has it")
    }
    let expected = invocation.has("--check") ? try Expected() : nil
    if !isJSON { Console.print(BenchTable.head) }
    var code = ExitCode.success
    for row in rows {
        let (figures, theirs) = try measured(row, beside: bumble)
        let result = BenchResult(word: row.word, name: row.name, figures: figures, theirs: theirs)
        Console.print(isJSON ? result.json : BenchTable.line(result))
        if let fault = figures.fault {
            Console.warn("\(row.name.quoted) is no result: \(fault)")
            code = .failure
        }
        for fault in expected?.faults(of: result) ?? [] {
            Console.warn("\(row.name.quoted): \(fault)")
            code = .failure
        }
    }
    return code
}

/// What a row costs, and what it costs Bumble.
///
/// The two are measured by turns, and the cheapest turn of each counts: what disturbs a machine only slows, and as likely
/// the one as the other.
private func measured(
    _ row: BenchRow, beside bumble: Bumble?
) throws(CommandFailure) -> (ours: Figures, theirs: Bumble.Figures?) {
    var ours = try row.measure()
    guard let bumble, let twin = row.twin else { return (ours, nil) }
    var theirs = try bumble.measure(twin)
    for _ in 1..<5 where ours.fault == nil {
        let again = try row.measure()
        if again.fault != nil || again.microsecondsPerItem < ours.microsecondsPerItem { ours = again }
        let theirsAgain = try bumble.measure(twin)
        if theirsAgain.microsecondsPerItem < theirs.microsecondsPerItem { theirs = theirsAgain }
    }
    return (ours, theirs)
}

private func chosen(_ words: [String]) throws(CommandFailure) -> [BenchRow] {
    for word in words where !BenchRow.all.contains(where: { $0.word == word }) {
        let known = BenchRow.all.map(\.word)
        throw CommandFailure(
            .usage,
            "there is no row \(word.quoted)\(suggestion(for: word, among: known)); there are "
                + known.joined(separator: ", "))
    }
    return words.isEmpty ? BenchRow.all : BenchRow.all.filter { words.contains($0.word) }
}

/// A row's figures, with those of Bumble when it can do the same.
struct BenchResult {
    let word: String
    let name: String
    let figures: Figures
    let theirs: Bumble.Figures?

    /// How many times Bumble's CPU time an item is of ours.
    var ratio: Double? { theirs.map { $0.microsecondsPerItem / figures.microsecondsPerItem } }

    /// The numbers that a row may be checked by; nil for what was not measured.
    var numbers: [(key: String, value: Double?)] {
        [
            ("value", figures.value), ("cpu_us_per_item", figures.microsecondsPerItem),
            ("allocations_per_item", figures.allocationsPerItem), ("ratio", ratio),
        ]
    }

    /// `{"row": …, "name": …, "value": …, "unit": …, "count": …, "cpu_us_per_item": …, …}`; null where nothing is known.
    /// `peak_kib` is the most memory that the process has had so far.
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

/// The table for people: a column's width is that of its head.
enum BenchTable {
    private static let columns: [(title: String, width: Int)] = [
        ("value", 10), ("unit", -28), ("count", 9), ("µs CPU each", 12), ("Bumble's", 10), ("ratio", 7),
    ]
    private static let nameWidth = -48

    static var head: String { padded("", nameWidth) + columns.map { "  " + padded($0.title, $0.width) }.joined() }

    static func line(_ result: BenchResult) -> String {
        let figures = result.figures
        let cells = [
            decimal(figures.value, 3), figures.unit, "\(figures.items)", decimal(figures.microsecondsPerItem, 3),
            result.theirs.map { decimal($0.microsecondsPerItem, 1) } ?? "-", result.ratio.map { decimal($0, 0) } ?? "-",
        ]
        return padded(result.name, nameWidth) + zip(cells, columns).map { "  " + padded($0, $1.width) }.joined()
    }

    /// With spaces in front up to `width` letters; behind when it is negative.
    private static func padded(_ text: String, _ width: Int) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? text + spaces : spaces + text
    }
}
