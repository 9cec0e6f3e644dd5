/// The lines of a text, without their ends: LF, CR LF or CR.
package struct CSVLines {
    private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    private static let pair = [carriageReturn, lineFeed]

    private let octets: [UInt8]
    private var start = 0  // of the next line
    /// How many lines were read.
    package private(set) var count = 0

    package init(_ octets: [UInt8]) { self.octets = octets }

    package mutating func next() -> ArraySlice<UInt8>? {
        guard start <= octets.count else { return nil }
        var end = start
        while end < octets.count, octets[end] != Self.lineFeed, octets[end] != Self.carriageReturn { end += 1 }
        defer { start = end + (octets[end...].starts(with: Self.pair) ? 2 : 1) }
        count += 1
        return octets[start..<end]
    }
}
