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
    /// What explains it: `it looks like swapped octets`.
    package var cause: String?
    /// The kinds of what explains it.
    package var kinds: [CauseKind] = []

    package init(expected: String? = nil, seen: String, cause: String? = nil) {
        (self.expected, self.seen, self.cause) = (expected, seen, cause)
    }

    /// A reason that is explained by a cause of a known kind.
    package init(expected: String? = nil, seen: String, cause: Cause?) {
        self.init(expected: expected, seen: seen, cause: cause?.words)
        kinds = cause.map { [$0.kind] } ?? []
    }

    /// Its parts with their labels: `expected`, `observed` and `cause`; none if nothing was expected.
    package var rows: [(label: String, text: String)] {
        guard let expected else { return [] }
        let observed = seen.hasPrefix("observed ") ? String(seen.dropFirst("observed ".count)) : seen
        return [("expected", expected), ("observed", observed)] + (cause.map { [("cause", $0)] } ?? [])
    }

    /// On one line: `expected …; observed …; it looks like …`.
    package var description: String {
        [expected.map { "expected \($0)" }, seen, cause].compactMap(\.self).joined(separator: "; ")
    }
}
