/// Cuts a stream of octets into lines, in any portions; what is not cut yet is bounded.
package struct LineFramer: Sendable {
    /// A line went on for too long, or a line without end did.
    package struct TooLong: Error, Equatable {}

    private let longest: Int
    private var octets: [UInt8] = []
    private var start = 0  // of the line that is next
    private var searched = 0  // so far there is no end of it

    /// Lines have so many octets at the most, without their ends.
    package init(longest: Int) { self.longest = longest }

    /// Adds what has come.
    package mutating func append(_ more: [UInt8]) { octets += more }

    /// The next line, without its line feed; nil when it is not complete yet.
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
