import Testing

@testable import CommandSupport
@testable import Screens

/// No text from outside reaches the terminal as a command, or begins a line.
@Suite struct TerminalLineTests {
    static let hostile: [(text: String, shown: String)] = [
        ("a\npass  b", #"a\npass  b"#), ("a\r\nb", #"a\u000d\nb"#), ("\u{1B}[2Jx", #"\u001b[2Jx"#),
        ("\u{1B}]0;title\u{7}", #"\u001b]0;title\u0007"#), ("\u{9B}31m", #"\u009b31m"#), ("\u{85}", #"\u0085"#),
        ("\u{7F}\u{8}\u{0}", #"\u007f\u0008\u0000"#), ("\u{202E}ssap", #"\u202essap"#),
        ("\u{2066}x\u{2069}", #"\u2066x\u2069"#),
        ("\u{2028}pass\u{2029}", #"\u2028pass\u2029"#), ("\u{1B}[33mwarning\u{1B}[0m", #"\u001b[33mwarning\u001b[0m"#),
        ("\tx", #"\u0009x"#), ("Ärger ♥ 心 👩‍👧", "Ärger ♥ 心 👩‍👧"), (#"\n "q""#, #"\n "q""#),
    ]

    @Test(arguments: hostile) func `Text is escaped, however it gets into a line`(text: String, shown: String) {
        #expect(TerminalLine(text).description == shown)
        #expect(TerminalLine(stringLiteral: text).description == shown)
        #expect(("<\(text)>" as TerminalLine).description == "<\(shown)>")
        #expect(
            ("<\(text.dropFirst(0)) \([text: 1].keys.first ?? "")>" as TerminalLine).description
                == "<\(shown) \(shown)>")
        #expect(TerminalLine(text, .warning).description == "\u{1B}[33m\(shown)\u{1B}[0m")
        #expect(Paint(isOn: false)(text, .warning).description == shown)
        let coloured = Paint(isOn: true)(text, .heart)
        #expect(
            ("\(text): \(coloured)" + "\(text)" as TerminalLine).description
                == "\(shown): \u{1B}[1;31m\(shown)\u{1B}[0m\(shown)")
    }

    @Test func `An error of any type is escaped`() {
        struct Failure: Error, CustomStringConvertible { let description = "x\nfail" }
        let (error, optional): (any Error, String?) = (Failure(), "a\nb")
        #expect(("\(error)" as TerminalLine).description == #"x\nfail"#)
        #expect(("\(optional.map { $0 } ?? "")" as TerminalLine).description == #"a\nb"#)
    }

    @Test(arguments: [Glyphs.ascii, .unicode]) func `A screen shows no control characters`(glyphs: Glyphs) {
        for (text, _) in Self.hostile {
            var canvas = Canvas(width: 40, height: 1, glyphs)
            canvas.write(cutting: text, row: 0, column: 0)
            for row in canvas.rows {
                let controls = row.text.unicodeScalars.filter { scalar in
                    scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
                        || ["\u{2028}", "\u{2029}"].contains(scalar)
                }
                #expect(controls.isEmpty, "\(text.debugDescription)")
            }
        }
    }
}
