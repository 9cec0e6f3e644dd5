import Basics
import Testing

@Suite struct JSONTextTests {
    static func text(_ write: (inout JSONText) -> Void) -> String {
        var text = JSONText()
        write(&text)
        return text.string
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 1_000_000, -1, -10, Int64.max, Int64.min])
    func `Whole numbers are written as in Swift`(number: Int64) {
        #expect(Self.text { $0.append(number) } == "\(number)")
    }

    @Test(arguments: [
        (0, 1, "0"), (0, 3, "000"), (7, 3, "007"), (1234, 3, "1234"), (UInt64.max, 1, "18446744073709551615"),
        (UInt64.max, 20, "18446744073709551615"), (10_000_000_000_000_000_000, 1, "10000000000000000000"),
        (1, 20, "00000000000000000001"), (1, 40, "00000000000000000001"),
    ])
    func `Whole numbers are padded with zeros`(number: UInt64, digits: Int, text: String) {
        #expect(Self.text { $0.append(number, digits: digits) } == text)
    }

    @Test(
        arguments: [
            (0, "0"), (1, "0.001"), (10, "0.01"), (999, "0.999"), (1000, "1"), (812_500, "812.5"),
            (63_999_023, "63999.023"),
        ] as [(UInt64, String)])
    func `Thousandths have no trailing zeros`(number: UInt64, text: String) {
        #expect(Self.text { $0.append(thousandths: number) } == text)
    }

    @Test(arguments: ["", "strap/heart_rate", "a \"b\" \\", "line\nend", "\u{7F}\u{85}\u{2028}", "Müller ♥", "\u{0}"])
    func `Quoted text is JSON`(words: String) {
        #expect(Self.text { $0.append(quoted: words) } == words.quoted)
    }

    @Test(
        arguments: [
            ("a\u{202E}b", "a\\u202eb"), ("\u{200E}\u{200F}\u{61C}", "\\u200e\\u200f\\u061c"),
            ("\u{2066}x\u{2069}", "\\u2066x\\u2069"), ("\u{1B}[1m\u{9B}", "\\u001b[1m\\u009b"), ("א👩‍⚕️", "א👩‍⚕️"),
        ])
    func `Characters that affect the surrounding text are escaped`(words: String, text: String) {
        #expect(words.quoted == "\"\(text)\"")
    }

    @Test(arguments: [([], ""), ([0x0A], "0A"), ([0x00, 0x9F, 0xFF], "00:9F:FF")] as [([UInt8], String)])
    func `An octet has two digits`(octets: [UInt8], text: String) {
        #expect(Self.text { $0.append(hex: octets[...], separator: ":") } == text)
    }

    @Test func `Truncated text is removed, and storage is reused`() {
        var text = JSONText()
        text.append("{\"a\": 1")
        text.truncate(to: 4)
        text.append([0x7D][...])
        #expect(text.string == "{\"a\"}")
        text.truncate(to: 100)
        #expect(text.octets.count == 5)
        text.removeAll()
        #expect(text.string.isEmpty)
    }
}
