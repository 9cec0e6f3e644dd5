public import Expectations
public import Simulation

/// What a peripheral should have done, and what it did.
public struct Finding: Hashable, Sendable {
    /// What the requirement wants.
    public var expected: String
    /// What came instead.
    public var seen: String
    /// When.
    public var instant: Instant
}

/// How a check ends when it is not passed.
enum CheckExit: Error, Hashable, Sendable {
    /// The peripheral is wrong.
    case failed(Finding)
    /// What had to come first never came about.
    case inconclusive(String)
    /// It is not asked.
    case skipped(String)

    /// What happened, in a few words.
    var words: String {
        switch self {
        case .failed(let finding): finding.seen
        case .inconclusive(let reason), .skipped(let reason): reason
        }
    }
}

extension Check {
    /// What came of a check.
    public struct Outcome: Sendable {
        /// What was asked.
        public let check: Check
        /// What came of it.
        public let verdict: Verdict
        /// Of a fail.
        public let finding: Finding?
        /// Of everything else but a pass.
        public let reason: String?
        /// How long it took, in the time of the two.
        public let duration: Duration

        /// Whether it would be a fail if this machine had not stood still meanwhile: it is worth asking again.
        public let isExcused: Bool

        /// Of a check whose precondition can never come about, so that it was not even begun.
        public init(_ check: Check, inconclusive reason: String) {
            self.init(check, .inconclusive(reason), took: .zero)
        }

        init(_ check: Check, _ ending: CheckExit?, took duration: Duration, standstill: Duration = .zero) {
            (self.check, self.duration) = (check, duration)
            if case .failed? = ending, standstill > .zero { isExcused = true } else { isExcused = false }
            switch ending {
            case nil: (verdict, finding, reason) = (.pass, nil, nil)
            case .failed where isExcused:
                (verdict, finding, reason) = (.inconclusive, nil, "this machine stood still for \(standstill.inWords)")
            case .failed(let found): (verdict, finding, reason) = (.fail, found, nil)
            case .inconclusive(let why): (verdict, finding, reason) = (.inconclusive, nil, why)
            case .skipped(let why): (verdict, finding, reason) = (.skip, nil, why)
            }
        }
    }
}
