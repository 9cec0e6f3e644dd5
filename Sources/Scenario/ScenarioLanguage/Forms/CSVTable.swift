import Basics
package import Devices

/// A csv file: a line of column names, then lines of cells, separated by commas.
package struct CSVTable {
    /// A problem, and its line.
    package struct Failure: Error {
        package let line: Int?
        package let message: String
    }

    private var lines: CSVLines
    let names: [String]

    /// Reads the column names.
    init(_ octets: [UInt8]) throws(Failure) {
        guard String(validating: octets, as: UTF8.self) != nil else {
            throw Failure(line: nil, message: "the file is not UTF-8 text")
        }
        lines = CSVLines(octets)
        names = (lines.next() ?? []).split(separator: Self.comma, omittingEmptySubsequences: false)
            .map { String(decoding: Self.trimmed($0), as: UTF8.self) }
    }

    /// The index of a column.
    func column(_ name: String) throws(Failure) -> Int {
        if let index = names.firstIndex(of: name) { return index }
        throw Failure(line: 1, message: "no column \(name.quoted)\(suggestion(for: name, among: names))")
    }

    /// The next line that is not empty.
    mutating func next() -> ArraySlice<UInt8>? {
        while let line = lines.next() { if !line.isEmpty { return line } }
        return nil
    }

    /// A problem of the present line.
    func failure(_ message: String) -> Failure { Failure(line: lines.count, message: message) }

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

    static func trimmed(_ cell: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let space = UInt8(ascii: " ")
        var cell = cell
        while cell.first == space { cell.removeFirst() }
        while cell.last == space { cell.removeLast() }
        return cell
    }

    /// A number; those with up to 15 digits and without an exponent need no string.
    static func number(_ cell: ArraySlice<UInt8>) -> Double? {
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

    static let comma = UInt8(ascii: ",")
    private static let (point, minus) = (UInt8(ascii: "."), UInt8(ascii: "-"))
    private static let (zero, nine) = (UInt8(ascii: "0"), UInt8(ascii: "9"))
}

/// The lines of a text, without their ends: LF, CR LF or CR.
private struct CSVLines {
    private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    private static let pair = [carriageReturn, lineFeed]

    private let octets: [UInt8]
    private var start = 0  // of the next line
    /// How many lines were read.
    private(set) var count = 0

    init(_ octets: [UInt8]) { self.octets = octets }

    mutating func next() -> ArraySlice<UInt8>? {
        guard start <= octets.count else { return nil }
        var end = start
        while end < octets.count, octets[end] != Self.lineFeed, octets[end] != Self.carriageReturn { end += 1 }
        defer { start = end + (octets[end...].starts(with: Self.pair) ? 2 : 1) }
        count += 1
        return octets[start..<end]
    }
}
