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
enum Ending: Error, Hashable, Sendable {
    /// The peripheral is wrong.
    case failed(Finding)
    /// What had to come first never came about.
    case inconclusive(String)
    /// It is not asked.
    case skipped(String)
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

        init(_ check: Check, _ ending: Ending?, took duration: Duration) {
            (self.check, self.duration) = (check, duration)
            switch ending {
            case nil: (verdict, finding, reason) = (.pass, nil, nil)
            case .failed(let found): (verdict, finding, reason) = (.fail, found, nil)
            case .inconclusive(let why): (verdict, finding, reason) = (.inconclusive, nil, why)
            case .skipped(let why): (verdict, finding, reason) = (.skip, nil, why)
            }
        }
    }
}
