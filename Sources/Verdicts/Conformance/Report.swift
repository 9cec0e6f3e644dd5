public import Arguments
public import Expectations
public import Simulation

/// What came of all cases of a run: the one source of everything that is printed or written about it.
public struct Report: Hashable, Sendable {
    /// A case that has ended.
    public struct Entry: Hashable, Sendable {
        /// The case's id.
        public var id: String
        /// How it ended.
        public var outcome: Outcome
        /// When it began, by a clock on which the cases are played one after the other.
        public var start: Instant

        /// The case `id`, which ended so.
        public init(id: String, outcome: Outcome, start: Instant = .start) {
            (self.id, self.outcome, self.start) = (id, outcome, start)
        }
    }

    /// How many ended how.
    public struct Tally: Hashable, Sendable {
        private var counts = [Int](repeating: 0, count: Verdict.allCases.count)

        /// Of these.
        public init(_ verdicts: [Verdict] = []) {
            for verdict in verdicts { count(verdict) }
        }

        /// How many have this verdict.
        public subscript(verdict: Verdict) -> Int { Self.index(of: verdict).map { counts[$0] } ?? 0 }

        /// How many there are.
        public var total: Int { counts.reduce(0, +) }

        /// In words: `1 pass, 0 fail, …`, all verdicts in their order, or those that are wanted.
        public func words(of verdicts: [Verdict] = Verdict.allCases) -> String {
            verdicts.map { "\(self[$0]) \($0.rawValue)" }.joined(separator: ", ")
        }

        /// How a run ends that judged these: an inner error outweighs a fail, and where nothing was judged, nothing passed.
        public var code: ExitCode {
            if self[.error] > 0 { return .internalError }
            if self[.fail] + self[.inconclusive] > 0 { return .failure }
            return self[.pass] > 0 ? .success : .environment
        }

        /// Counts one more.
        public mutating func count(_ verdict: Verdict) {
            if let index = Self.index(of: verdict) { counts[index] += 1 }
        }

        private static func index(of verdict: Verdict) -> Int? { Verdict.allCases.firstIndex(of: verdict) }
    }

    /// The first folder of the ids of some cases, and what came of them.
    public struct Group: Hashable, Sendable {
        /// `.` for cases that are in no folder.
        public let name: String
        /// In the order in which they were played.
        public fileprivate(set) var cases: [Entry]
        /// What came of them.
        public fileprivate(set) var tally = Tally()

        /// How long they were played, all together.
        public var duration: Duration { cases.reduce(.zero) { $0 + $1.outcome.duration } }
    }

    /// The version of the program.
    public let version: String
    private let givenSeed: UInt64?
    /// In the suite's order.
    public private(set) var cases: [Entry] = []
    /// What came of all of them.
    public private(set) var summary = Tally()
    private var now = Instant.start

    /// One without cases; `seed` is that of the command line.
    public init(version: String, seed: UInt64? = nil) { (self.version, givenSeed) = (version, seed) }

    /// The seed of the command line, or that of all cases that were played; 1, the default, where they have seeds of
    /// their own.
    public var seed: UInt64 {
        if let givenSeed { return givenSeed }
        let seeds = cases.compactMap(\.outcome.seed)
        guard let first = seeds.first, seeds.allSatisfy({ $0 == first }) else { return 1 }
        return first
    }

    /// Adds a case, as one that was played after those before.
    ///
    /// - Returns: What stands in the report.
    @discardableResult public mutating func add(_ id: String, _ outcome: Outcome) -> Entry {
        let entry = Entry(id: id, outcome: outcome, start: now)
        cases.append(entry)
        summary.count(outcome.verdict)
        now = now.advanced(by: outcome.duration)
        return entry
    }

    /// How long all cases were played.
    public var duration: Duration { now.sinceStart }

    /// The cases by their first folder; the groups in the order in which the first of each was played.
    public var groups: [Group] {
        var (groups, places): ([Group], [String: Int]) = ([], [:])
        for entry in cases {
            let name = Self.group(of: entry.id)
            let place = places[name] ?? groups.count
            if place == groups.count {
                places[name] = place
                groups.append(Group(name: name, cases: []))
            }
            groups[place].cases.append(entry)
            groups[place].tally.count(entry.outcome.verdict)
        }
        return groups
    }

    private static func group(of id: String) -> String {
        let words = id.split(separator: "/")
        return words.count > 1 ? String(words[0]) : "."
    }

    /// How a run ends that played all of its cases.
    public var code: ExitCode { summary.code }
}
