package import Basics
package import Expectations

/// The difference between what a specification requires and what a peripheral did.
package struct Finding: Hashable, Sendable {
    package var expected: String
    package var seen: String
    package var instant: Instant
    /// Octets in the packet that shows it; by default, those that `seen` quotes; empty for none.
    package var evidence: [UInt8]

    init(expected: String, seen: String, instant: Instant, evidence: [UInt8] = []) {
        (self.expected, self.seen, self.instant) = (expected, seen, instant)
        self.evidence = evidence.isEmpty ? Self.quotedOctets(in: seen) : evidence
    }

    /// The longest row of at least two octets such as `06 48`.
    private static func quotedOctets(in text: String) -> [UInt8] {
        let words = text.split { !$0.isLetter && !$0.isNumber }
        let octets = words.map { $0.utf8.count == 2 ? UInt8($0, radix: 16) : nil }
        let longest = octets.split(separator: nil).max { $0.count < $1.count }?.compactMap { $0 } ?? []
        return longest.count > 1 ? longest : []
    }
}

/// How a check ends when it does not pass.
package enum CheckExit: Error, Hashable, Sendable {
    /// The peripheral violates the requirement.
    case failed(Finding)
    /// A precondition was not met.
    case inconclusive(String)
    /// The check does not apply or cannot be run.
    case skipped(String)

    /// Skips the check because the peripheral does not have what it is about.
    package static func notApplicable(_ reason: String) -> CheckExit { .skipped("not applicable: \(reason)") }

    package var description: String {
        switch self {
        case .failed(let finding): finding.seen
        case .inconclusive(let reason), .skipped(let reason): reason
        }
    }
}

extension Check {
    package struct Outcome: Sendable {
        package let check: Check
        package let verdict: Verdict
        package let finding: Finding?
        /// Of every verdict other than pass and fail.
        package let reason: String?
        /// How long it took, by the examiner's clock.
        package let duration: Duration
        /// When it was decided, by the examiner's clock; nil if that was known before it began.
        package let end: Instant?

        /// Whether it failed while this machine had stopped for too long, so that the check should be run again.
        package let isExcused: Bool

        /// The outcome of a check that was not started, because a precondition cannot be met.
        package init(_ check: Check, inconclusive reason: String) {
            self.init(check, .inconclusive(reason), took: .zero)
        }

        /// The outcome of a check that was left out.
        package init(_ check: Check, leftOut reason: String) { self.init(check, .skipped(reason), took: .zero) }

        init(
            _ check: Check, _ exit: CheckExit?, took duration: Duration, at end: Instant? = nil, stall: Duration = .zero
        ) {
            (self.check, self.duration, self.end) = (check, duration, end)
            if case .failed? = exit, stall > .zero { isExcused = true } else { isExcused = false }
            switch exit {
            case nil: (verdict, finding, reason) = (.pass, nil, nil)
            case .failed where isExcused:
                (verdict, finding, reason) = (
                    .inconclusive, nil, "this machine stopped for \(stall.formatted) during the check"
                )
            case .failed(let found): (verdict, finding, reason) = (.fail, found, nil)
            case .inconclusive(let why): (verdict, finding, reason) = (.inconclusive, nil, why)
            case .skipped(let why): (verdict, finding, reason) = (.skip, nil, why)
            }
        }
    }
}
