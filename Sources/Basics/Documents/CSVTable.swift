import Basics

/// A csv file: a line of column names, then lines of cells, separated by commas.
package struct CSVTable {
    /// A problem, and its line.
    package struct Failure: Error {
        package let line: Int?
        package let message: String

        package init(line: Int?, message: String) { (self.line, self.message) = (line, message) }
    }

    private var lines: CSVLines
    /// The names of the columns.
    package let names: [String]

    /// Reads the column names.
    package init(_ octets: [UInt8]) throws(Failure) {
        guard String(validating: octets, as: UTF8.self) != nil else {
            throw Failure(line: nil, message: "the file is not UTF-8 text")
        }
        lines = CSVLines(octets)
        names = (lines.next() ?? []).split(separator: Self.comma, omittingEmptySubsequences: false)
            .map { String(decoding: Self.trimmed($0), as: UTF8.self) }
    }

    /// The index of a column.
    package func column(_ name: String) throws(Failure) -> Int {
        if let index = names.firstIndex(of: name) { return index }
        throw Failure(line: 1, message: "no column \(name.quoted)\(suggestion(for: name, among: names))")
    }

    /// The next line that is not empty.
    package mutating func next() -> ArraySlice<UInt8>? {
        while let line = lines.next() { if !line.isEmpty { return line } }
        return nil
    }

    /// A problem of the present line.
    package func failure(_ message: String) -> Failure { Failure(line: lines.count, message: message) }

    /// A cell without the spaces around it.
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
