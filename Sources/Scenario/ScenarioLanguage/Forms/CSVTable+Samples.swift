package import Devices
package import Documents

extension CSVTable {
    /// The values of `column` (by default the last), at the times in seconds of the column `time` (by default the first).
    package static func samples(_ octets: [UInt8], column: String?, time: String?) throws(Failure) -> [Curve.Sample] {
        var table = try CSVTable(octets)
        let count = table.names.count
        guard count >= 2 else { throw Failure(line: 1, message: "expected at least two columns") }
        let values = if let column { try table.column(column) } else { count - 1 }
        let times = if let time { try table.column(time) } else { 0 }
        var samples: [Curve.Sample] = []
        while let line = table.next() {
            guard let (seconds, value) = numbers(line, of: count, at: times, values),
                value.isFinite, (0...1e9).contains(seconds)
            else { throw table.failure("expected \(count) numbers, and a time of 0 s or later") }
            let time = Duration.nanoseconds(Int64(seconds * 1e9))
            if let last = samples.last, last.time >= time {
                throw table.failure("the times must rise from line to line")
            }
            samples.append(Curve.Sample(at: time, value))
        }
        guard !samples.isEmpty else { throw Failure(line: nil, message: "the table has no values") }
        return samples
    }

    /// The numbers in two columns of a line; nil if they are none, or the line has not `count` cells.
    private static func numbers(
        _ line: ArraySlice<UInt8>, of count: Int, at first: Int, _ second: Int
    ) -> (Double, Double)? {
        var (column, start) = (0, line.startIndex)
        var numbers: (Double?, Double?)
        for index in line.startIndex...line.endIndex where index == line.endIndex || line[index] == comma {
            if column == first { numbers.0 = number(trimmed(line[start..<index])) }
            if column == second { numbers.1 = number(trimmed(line[start..<index])) }
            (column, start) = (column + 1, index + 1)
        }
        guard column == count, let first = numbers.0, let second = numbers.1 else { return nil }
        return (first, second)
    }
}
