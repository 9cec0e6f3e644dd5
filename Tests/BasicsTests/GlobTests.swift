import Basics
import Testing

@Suite struct GlobTests {
    @Test func `Patterns`() {
        let rows: [(pattern: String, yes: [String], no: [String])] = [
            ("resting", ["resting"], ["", "rest", "restingx", "Resting"]),
            ("*", ["", "a", "a/b"], []),
            ("recovery/*", ["recovery/", "recovery/away", "recovery/a/b"], ["recovery", "x/recovery/a"]),
            ("*away*", ["away", "recovery/away_4s"], ["awa"]),
            ("a*b*c", ["abc", "aXbYbZc"], ["ab", "acb", "abcd"]),
            ("?b", ["ab", "*b"], ["b", "aab"]),
            ("", [""], ["a"]),
        ]
        for (pattern, yes, no) in rows {
            for name in yes { #expect(Glob(pattern).matches(name), "\(pattern) \(name)") }
            for name in no { #expect(!Glob(pattern).matches(name), "\(pattern) \(name)") }
        }
    }
}
