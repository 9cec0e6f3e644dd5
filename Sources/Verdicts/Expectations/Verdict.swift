/// The verdict on a case or on one of its expectations, as in TTCN-3 (ETSI ES 201 873-1, section 24), and `skip`.
package enum Verdict: String, CaseIterable, Hashable, Sendable {
    /// All requirements were met.
    case pass
    /// A requirement was not met.
    case fail
    /// A precondition never occurred, or too late for a decision.
    case inconclusive
    /// It does not apply or cannot be run here.
    case skip
    case error

    /// Whether it keeps a run from success.
    package var isFault: Bool { self != .pass && self != .skip }
}

package struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// What was expected, and when; nil if its time never began.
    package var expected: String?
    /// What was observed instead, and when.
    package var seen: String

    package init(expected: String? = nil, seen: String) { (self.expected, self.seen) = (expected, seen) }

    /// On one line: `expected …; observed …`.
    package var description: String { expected.map { "expected \($0); \(seen)" } ?? seen }
}
