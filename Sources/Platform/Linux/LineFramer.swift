/// Splits a stream of octets into lines; a long line is an error.
package struct LineFramer: Sendable {
    /// A line is longer than the limit.
    package struct TooLong: Error, Equatable {}

    private let longest: Int
    private var octets: [UInt8] = []
    private var start = 0  // of the next line
    private var searched = 0  // no line feed before this index

    /// `longest`: the maximum octets of a line, without its line feed.
    package init(longest: Int) { self.longest = longest }

    package mutating func append(_ more: [UInt8]) { octets += more }

    /// The next line, without its line feed; nil while it is incomplete.
    package mutating func next() throws(TooLong) -> [UInt8]? {
        let end = octets[searched...].firstIndex(of: UInt8(ascii: "\n"))
        searched = end ?? octets.count
        guard searched - start <= longest else { throw TooLong() }
        guard let end else {
            octets.removeFirst(start)
            (start, searched) = (0, octets.count)
            return nil
        }
        defer { (start, searched) = (end + 1, end + 1) }
        return Array(octets[start..<end])
    }
}
