import Basics
import Testing

@Suite struct ColumnsTests {
    @Test(arguments: [
        (0, 4, 16, "0000"), (0xBEE, 4, 16, "0BEE"), (0xC0FFEE, 4, 16, "C0FFEE"), (7, 2, 10, "07"), (7, 0, 10, "7"),
    ])
    func `Numbers are padded with zeros`(number: Int, digits: Int, radix: Int, text: String) {
        #expect(number.zeroPadded(to: digits, radix: radix) == text)
    }

    @Test(arguments: [("", 2, "  "), ("no", 4, "no  "), ("works", 4, "works"), ("♥", 2, "♥ "), ("x", -1, "x")])
    func `Text is padded with spaces`(text: String, width: Int, filled: String) {
        #expect(text.padded(to: width) == filled)
    }
}
