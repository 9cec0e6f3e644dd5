/// Cuts a stream of octets into lines, in any portions; of a line that is too long the beginning is kept.
package struct LineCutter: Sendable {
    private let longest: Int
    private var line: [UInt8] = []

    /// Lines keep so many octets at the most, without their ends.
    package init(longest: Int) { self.longest = longest }

    /// The lines that are complete with what has come, without their ends.
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

    /// What is left without an end.
    package mutating func finish() -> [UInt8] {
        defer { line = [] }
        return line
    }

    private mutating func keep(_ octets: ArraySlice<UInt8>) { line += octets.prefix(longest - line.count) }
}
