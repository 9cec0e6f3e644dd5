import Basics

/// A source line around a position, safe for a terminal.
package struct SourceExcerpt: Hashable, Sendable {
    /// The line, or its part around the position, with `...` in place of what is left out.
    let text: String
    /// The scalars of `text` before the position.
    let indent: Int
    /// The scalars of the string, number, word or bracket at the position; at least 1.
    let tokenLength: Int

    /// The most scalars of a line that are shown, and those of them before the position.
    private static let (width, widthBefore) = (114, 70)
    private static let ellipsis = Array("...".unicodeScalars)
    private static let longestToken = 1 << 16

    /// The lines of positions in ascending order, read once from start to end.
    static func excerpts(of octets: [UInt8], at positions: [Position]) -> [Position: SourceExcerpt] {
        var excerpts: [Position: SourceExcerpt] = [:]
        var offset = octets.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0  // a byte order mark
        var place = Position()
        for position in positions {
            while place.line < position.line, let end = octets[offset...].firstIndex(of: lineFeed) {
                (offset, place) = (end + 1, Position(line: place.line + 1, column: 1))
            }
            guard place.line == position.line else { break }
            while place.column < position.column, offset < octets.count, octets[offset] != lineFeed {
                offset += 1
                while offset < octets.count, octets[offset] & 0xC0 == 0x80 { offset += 1 }
                place.column += 1
            }
            excerpts[position] = SourceExcerpt(octets, at: offset)
        }
        return excerpts
    }

    private static let lineFeed = UInt8(ascii: "\n")

    private init(_ octets: [UInt8], at offset: Int) {
        // A scalar has four octets at most.
        let reach = (before: max(0, offset - 4 * Self.width), after: min(octets.count, offset + 4 * Self.width))
        let start = octets[reach.before..<offset].lastIndex(of: Self.lineFeed).map { $0 + 1 } ?? reach.before
        let end = octets[offset..<reach.after].firstIndex(of: Self.lineFeed) ?? reach.after
        var before = Self.safe(octets[start..<offset])
        var after = Self.safe(octets[offset..<end])
        while let last = after.last, last == " " || last == "\r" { after.removeLast() }
        let isCut = start == reach.before && start > 0 && octets[start - 1] != Self.lineFeed
        if isCut || before.count + after.count > Self.width && before.count > Self.widthBefore {
            before = Self.ellipsis + before.suffix(Self.widthBefore - 3)
        }
        let room = Self.width - before.count
        if after.count > room { after = after.prefix(room - 3) + Self.ellipsis }
        text = String(String.UnicodeScalarView(before + after))
        indent = before.count
        tokenLength = Self.tokenLength(octets[offset..<min(octets.count, offset + Self.longestToken)])
    }

    /// One scalar for each one of the text: a space for a tab, U+FFFD for a control character.
    private static func safe(_ octets: ArraySlice<UInt8>) -> [Unicode.Scalar] {
        String(decoding: octets, as: UTF8.self).unicodeScalars.map { scalar in
            scalar == "\t" || scalar == "\r" ? " " : scalar.isControl ? "\u{FFFD}" : scalar
        }
    }

    private static func tokenLength(_ octets: ArraySlice<UInt8>) -> Int {
        guard let first = octets.first else { return 1 }
        var end = octets.startIndex + 1
        if first == UInt8(ascii: "\"") {
            while end < octets.endIndex, octets[end] != lineFeed {
                if octets[end] == first { return scalars(octets[...end]) }
                end += octets[end] == UInt8(ascii: "\\") ? 2 : 1
            }
            return 1
        }
        guard isWord(first) else { return 1 }
        while end < octets.endIndex, isWord(octets[end]) { end += 1 }
        return scalars(octets[..<end])
    }

    private static func scalars(_ octets: ArraySlice<UInt8>) -> Int { octets.count { $0 & 0xC0 != 0x80 } }

    private static func isWord(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "+"), UInt8(ascii: "$"):
            true
        default: false
        }
    }
}
