import Scenarios
import Sensors
import TextFormatting

/// Reads csv files: a line of column names, then lines of numbers, separated by commas.
enum CSVTable {
    /// A problem, and its line.
    struct Failure: Error {
        let line: Int?
        let message: String
    }

    /// The values of `column` (by default the last), at the times in seconds of the column `time` (by default the first).
    static func samples(_ octets: [UInt8], column: String?, time: String?) throws(Failure) -> [Curve.Sample] {
        guard let text = String(validating: octets, as: UTF8.self) else {
            throw Failure(line: nil, message: "the file is not UTF-8 text")
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let names = cells(lines[0])
        func index(_ name: String?, else index: Int) throws(Failure) -> Int {
            guard let name else { return index }
            guard let found = names.firstIndex(of: name) else {
                throw Failure(line: 1, message: "no column \(name.quoted)\(suggestion(for: name, among: names))")
            }
            return found
        }
        guard names.count >= 2 else { throw Failure(line: 1, message: "expected at least two columns") }
        let (values, times) = (try index(column, else: names.count - 1), try index(time, else: 0))
        var samples: [Curve.Sample] = []
        for (number, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            let cells = cells(line)
            guard cells.count == names.count, let seconds = Double(cells[times]), let value = Double(cells[values]),
                value.isFinite, (0...1e9).contains(seconds)
            else {
                throw Failure(line: number + 1, message: "expected \(names.count) numbers, and a time of 0 s or later")
            }
            let time = Duration.nanoseconds(Int64(seconds * 1e9))
            if let last = samples.last, last.time >= time {
                throw Failure(line: number + 1, message: "the times must rise from line to line")
            }
            samples.append(Curve.Sample(at: time, value))
        }
        guard !samples.isEmpty else { throw Failure(line: nil, message: "the table has no values") }
        return samples
    }

    private static func cells(_ line: Substring) -> [String] {
        line.split(separator: ",", omittingEmptySubsequences: false).map { cell in
            String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }
}
