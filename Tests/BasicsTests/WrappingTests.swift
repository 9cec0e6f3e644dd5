import Basics
import Testing

@Suite struct WrappingTests {
    @Test(
        arguments: [
            ("", 10, [""]),
            ("one two three", 13, ["one two three"]),
            ("one two three", 12, ["one two", "three"]),
            ("one\n  two", 7, ["one two"]),
            ("one interminable two", 5, ["one", "interminable", "two"]),
        ] as [(String, Int, [String])])
    func `Lines break at spaces`(text: String, width: Int, lines: [String]) {
        #expect(text.wrapped(to: width) == lines)
    }
}
