import Testing

@testable import Screens

@Suite struct KeyDecoderTests {
    static let table: [(octets: String, keys: [Key])] = [
        ("c", [.character("c")]), ("?q", [.character("?"), .character("q")]), ("0 9", keys("0 9")),
        ("\u{1B}[A", [.up]), ("\u{1B}[B", [.down]), ("\u{1B}OA", [.up]), ("\u{1B}OB", [.down]),
        ("\u{1B}[1;2A", [.shiftUp]), ("\u{1B}[1;2B", [.shiftDown]), ("\u{1B}[a", [.shiftUp]),
        ("\u{1B}[b", [.shiftDown]), ("\u{1B}[1A", [.up]), ("\u{1B}[1;1B", [.down]),
        ("\u{1B}[A\u{1B}[Ac", [.up, .up, .character("c")]),
        // With Alt or Control, left, Home, F5, Delete, the position of a cursor: swallowed as a whole.
        ("\u{1B}[1;5Ac", keys("c")), ("\u{1B}[1;3B", []), ("\u{1B}[D\u{1B}[C", []), ("\u{1B}[Hd", keys("d")),
        ("\u{1B}[15~s", keys("s")), ("\u{1B}[3~", []), ("\u{1B}[24;80Rb", keys("b")), ("\u{1B}[?1;2c", []),
        ("\u{1B}OP", []), ("\u{1B}Oac", keys("c")), ("\u{1B}q", []), ("\u{1B}cc", keys("c")),
        ("\u{1B}[" + String(repeating: "1;2", count: 99) + "Aq", keys("q")),
        // An escape begins anew, also within a sequence.
        ("\u{1B}\u{1B}[A", [.up]), ("\u{1B}[1;\u{1B}[Bq", [.down, .character("q")]),
        // Controls and characters outside ASCII are ignored.
        ("\u{00}\u{03}\u{04}\u{1A}\n\r\t\u{7F}", []), ("äq€", keys("q")), ("\u{1B}[\u{00}c", keys("c")),
    ]

    private static func keys(_ text: String) -> [Key] { text.map(Key.character) }

    @Test(arguments: table) func `Octets are keys`(octets: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array(octets.utf8)) == keys)
    }

    @Test(arguments: table) func `Wherever they are split`(octets: String, keys: [Key]) {
        let octets = Array(octets.utf8)
        for place in octets.indices {
            var decoder = KeyDecoder()
            let heard = decoder.decode(Array(octets[..<place])) + decoder.decode(Array(octets[place...]))
            #expect(heard == keys)
        }
        var decoder = KeyDecoder()
        #expect(octets.flatMap { decoder.decode([$0]) } == keys)
    }

    @Test func `A lone Escape does not take the next key with it`() {
        for begun in ["\u{1B}", "\u{1B}[", "\u{1B}[1;2", "\u{1B}O"] {
            var decoder = KeyDecoder()
            #expect(decoder.decode(Array(begun.utf8)).isEmpty)
            #expect(decoder.decode(Array("q".utf8), after: .seconds(1)) == [.character("q")])
        }
    }

    @Test func `Any octets are some keys or none, and end nothing`() {
        var decoder = KeyDecoder()
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let keys = decoder.decode([0x1B, first, second, 0x1B, 0x5B, first, second])
                #expect(keys.count <= 4)
            }
        }
        #expect(decoder.decode(Array("q".utf8), after: .seconds(1)) == [.character("q")])
    }
}
