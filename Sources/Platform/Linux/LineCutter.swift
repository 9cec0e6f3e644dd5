/// Splits a stream of octets into lines; long lines are truncated.
package struct LineCutter: Sendable {
    private let longest: Int
    private var line: [UInt8] = []

    /// `longest`: the maximum octets of a line, without its line feed.
    package init(longest: Int) { self.longest = longest }

    /// The lines that `octets` complete, without their line feeds.
    package mutating func take(_ octets: ArraySlice<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var rest = octets
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            keep(rest[..<end])
            lines.append(finish())
            rest = rest[(end + 1)...]
        }
        keep(rest)
        return lines
    }

    /// The rest without a line feed.
    package mutating func finish() -> [UInt8] {
        defer { line = [] }
        return line
    }

    private mutating func keep(_ octets: ArraySlice<UInt8>) { line += octets.prefix(longest - line.count) }
}
