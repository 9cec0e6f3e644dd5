import Testing

@testable import Basics

@Suite struct QuotingTests {
    @Test func `Controls are those of Unicode's tables`() {
        for scalar in (0...0x2FFF).compactMap(Unicode.Scalar.init) {
            let isListed = [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            #expect(scalar.isControl == (isListed || scalar.properties.isBidiControl), "\(scalar.value)")
        }
    }

    @Test(arguments: [
        ("", #""""#), ("plain ~", #""plain ~""#), (#"a"b\c"#, #""a\"b\\c""#),
        ("é\n\u{7F}\u{202E}", #""é\n\u007f\u202e""#),
    ])
    func `Texts are quoted on one line`(text: String, quoted: String) { #expect(text.quoted == quoted) }
}
