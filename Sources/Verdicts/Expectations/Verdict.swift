/// What came of a case, or of one thing that it demands, as TTCN-3 has it (ETSI ES 201 873-1, section 24), and `skip` for
/// what is not played.
public enum Verdict: String, CaseIterable, Hashable, Sendable {
    /// All that is required was seen.
    case pass
    /// Something that is required was not, or the contrary was.
    case fail
    /// What had to come first never came about, or too late to decide anything.
    case inconclusive
    /// It was not asked: it is not claimed, or cannot be played here; the reason says why.
    case skip
    /// The harness could not do it.
    case error
}

/// Why something did not pass.
public struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// What was expected, within how long after what; nil where that never began.
    public var expected: String?
    /// What came instead, and when.
    public var seen: String

    /// This was seen instead of that.
    public init(expected: String? = nil, seen: String) { (self.expected, self.seen) = (expected, seen) }

    /// On one line: `expected …; saw …`.
    public var description: String { expected.map { "expected \($0); \(seen)" } ?? seen }
}
