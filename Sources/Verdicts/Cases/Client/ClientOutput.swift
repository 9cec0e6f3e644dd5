import Basics
import Linux

/// Splits a client's output into lines.
///
/// Long lines are truncated, and lines that are not JSON are limited to 1 MiB in total: endless output fills neither
/// memory nor log.
package struct ClientOutput {
    /// The maximum octets of a line, without its line feed.
    package static let maximumLine = 64 << 10
    /// The maximum octets of all lines that are not JSON.
    package static let maximumText = 1 << 20

    private let reader: LineReader
    private var cutter = LineCutter(longest: Self.maximumLine)
    private var text = 0  // octets of lines that are not JSON
    package private(set) var leftOut = 0

    package init(_ patterns: [LinePattern] = []) { reader = LineReader(patterns) }

    /// The lines that `octets` complete.
    package mutating func take(_ octets: ArraySlice<UInt8>) -> [ClientLine] {
        cutter.take(octets).compactMap { keep($0) }
    }

    /// The rest without a line feed; nil when there is none.
    package mutating func finish() -> ClientLine? { keep(cutter.finish()) }

    private mutating func keep(_ octets: [UInt8]) -> ClientLine? {
        guard let line = reader.line(octets) else { return nil }
        guard !line.isJSON else { return line }
        text += octets.count
        guard text <= Self.maximumText else {
            leftOut += 1
            return nil
        }
        return line
    }
}
