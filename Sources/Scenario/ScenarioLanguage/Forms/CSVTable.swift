import Basics
package import Devices

/// Reads csv files: a line of column names, then lines of numbers, separated by commas.
package enum CSVTable {
    /// A problem, and its line.
    package struct Failure: Error {
        package let line: Int?
        package let message: String
    }

    /// The values of `column` (by default the last), at the times in seconds of the column `time` (by default the first).
    package static func samples(_ octets: [UInt8], column: String?, time: String?) throws(Failure) -> [Curve.Sample] {
        guard String(validating: octets, as: UTF8.self) != nil else {
            throw Failure(line: nil, message: "the file is not UTF-8 text")
        }
        var lines = CSVLines(octets)
        let names = names(lines.next() ?? [])
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
        while let line = lines.next() {
            guard !line.isEmpty else { continue }
            guard let (seconds, value) = numbers(line, of: names.count, at: times, values),
                value.isFinite, (0...1e9).contains(seconds)
            else {
                throw Failure(line: lines.count, message: "expected \(names.count) numbers, and a time of 0 s or later")
            }
            let time = Duration.nanoseconds(Int64(seconds * 1e9))
            if let last = samples.last, last.time >= time {
                throw Failure(line: lines.count, message: "the times must rise from line to line")
            }
            samples.append(Curve.Sample(at: time, value))
        }
        guard !samples.isEmpty else { throw Failure(line: nil, message: "the table has no values") }
        return samples
    }

    package static func names(_ line: ArraySlice<UInt8>) -> [String] {
        line.split(separator: comma, omittingEmptySubsequences: false).map { cell in
            String(decoding: trimmed(cell), as: UTF8.self)
        }
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

    package static func trimmed(_ cell: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let space = UInt8(ascii: " ")
        var cell = cell
        while cell.first == space { cell.removeFirst() }
        while cell.last == space { cell.removeLast() }
        return cell
    }

    /// A number; those with up to 15 digits and without an exponent need no string.
    package static func number(_ cell: ArraySlice<UInt8>) -> Double? {
        let digits = cell.first == minus ? cell.dropFirst() : cell
        guard digits.count <= 16 else { return Double(String(decoding: cell, as: UTF8.self)) }
        var (mantissa, scale, hasPoint, count) = (Int64(0), 1.0, false, 0)
        for octet in digits {
            switch octet {
            case point where !hasPoint: hasPoint = true
            case zero...nine:
                mantissa = mantissa * 10 + Int64(octet - zero)
                if hasPoint { scale *= 10 }
                count += 1
            default: return Double(String(decoding: cell, as: UTF8.self))
            }
        }
        guard (1...15).contains(count) else { return Double(String(decoding: cell, as: UTF8.self)) }
        let value = Double(mantissa) / scale  // both are exact, so their quotient is rounded once
        return digits.count < cell.count ? -value : value
    }

    package static let comma = UInt8(ascii: ",")
    private static let (point, minus) = (UInt8(ascii: "."), UInt8(ascii: "-"))
    private static let (zero, nine) = (UInt8(ascii: "0"), UInt8(ascii: "9"))
}
