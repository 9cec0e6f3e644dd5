import Sensors
import Spelling

/// A csv file: a line of column names, and lines of numbers with commas between.
enum Table {
    /// What is wrong with it, and in which line.
    struct Wrong: Error {
        let line: Int?
        let message: String
    }

    /// The values of `column` (nil: the last), each at its `time` in seconds (nil: the first column).
    static func samples(_ octets: [UInt8], column: String?, time: String?) throws(Wrong) -> [Curve.Sample] {
        guard let text = String(validating: octets, as: UTF8.self) else {
            throw Wrong(line: nil, message: "this is not UTF-8 text")
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let names = cells(lines[0])
        func index(_ name: String?, else index: Int) throws(Wrong) -> Int {
            guard let name else { return index }
            guard let found = names.firstIndex(of: name) else {
                throw Wrong(line: 1, message: "there is no column \(name.quoted)\(suggestion(for: name, among: names))")
            }
            return found
        }
        guard names.count >= 2 else { throw Wrong(line: 1, message: "a table has two columns or more") }
        let (values, times) = (try index(column, else: names.count - 1), try index(time, else: 0))
        var samples: [Curve.Sample] = []
        for (number, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            let cells = cells(line)
            guard cells.count == names.count, let seconds = Double(cells[times]), let value = Double(cells[values]),
                value.isFinite, (0...1e9).contains(seconds)
            else {
                throw Wrong(line: number + 1, message: "expected \(names.count) numbers, and a time of 0 s or later")
            }
            let time = Duration.nanoseconds(Int64(seconds * 1e9))
            if let last = samples.last, last.time >= time {
                throw Wrong(line: number + 1, message: "the times must rise from line to line")
            }
            samples.append(Curve.Sample(at: time, value))
        }
        guard !samples.isEmpty else { throw Wrong(line: nil, message: "there are no values") }
        return samples
    }

    private static func cells(_ line: Substring) -> [String] {
        line.split(separator: ",", omittingEmptySubsequences: false).map { cell in
            String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }
}
