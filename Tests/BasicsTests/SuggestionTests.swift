import Testing

@testable import Basics

@Suite struct SuggestionTests {
    @Test func `An empty word means nothing`() { #expect(closestMatch(to: "", in: ["s", "x"]) == nil) }

    @Test(
        arguments: [
            ("", "", 0), ("a", "", 1), ("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abcd", "badc", 2),
            ("kitten", "sitting", 3), ("heart_rate", "hart_rate", 1), ("silence", "silense", 1), ("ca", "abc", 3),
            ("é", "e", 1),
        ] as [(String, String, Int)])
    func `Words differ by inserted, deleted, replaced and swapped letters`(one: String, other: String, count: Int) {
        let (one, other) = (Array(one.unicodeScalars), Array(other.unicodeScalars))
        #expect(distance(one, other, atMost: 10) == count)
        #expect(distance(other, one, atMost: 10) == count)
        // A limit that is too low is exceeded.
        for limit in 0..<count { #expect(distance(one, other, atMost: limit) > limit) }
        #expect(distance(one, other, atMost: count) == count)
    }

    @Test(
        arguments: [
            ("limt", ["name", "limit", "tags"], "limit"), ("tga", ["tag", "tags"], "tag"), ("zzz", ["limit"], nil),
            ("lim", ["limit"], nil), ("on", ["of", "off"], "of"), ("abcx", ["abcd", "abce"], "abcd"),
            ("limit", ["limits", "limit"], "limit"), ("xy", [], nil), ("ofo", ["of", "foo"], "of"),
        ] as [(String, [String], String?)])
    func `The nearest of the near words is meant, and the first of equal ones`(
        word: String, candidates: [String], meant: String?
    ) {
        #expect(closestMatch(to: word, in: candidates) == meant)
    }

    @Test func `A long word, and one of very many, is not compared`() {
        #expect(closestMatch(to: String(repeating: "a", count: 257), in: [String(repeating: "a", count: 256)]) == nil)
        #expect(closestMatch(to: "a", in: Array(repeating: "b", count: 1000)) == "b")
        #expect(closestMatch(to: "a", in: Array(repeating: "b", count: 1001)) == nil)
    }
}
