package import Basics
package import Expectations

/// The outcomes of all cases of a run, from which every report format is written.
package struct Report: Hashable, Sendable {
    /// A case that has ended.
    package struct Entry: Hashable, Sendable {
        package var id: String
        package var outcome: Outcome
        /// When it began, as if the cases had run one after another.
        package var start: Instant
        /// Which run of a campaign it is; nil if the case ran once.
        package var run: CampaignRun?

        package init(id: String, outcome: Outcome, start: Instant = .start, run: CampaignRun? = nil) {
            (self.id, self.outcome, self.start, self.run) = (id, outcome, start, run)
        }

        /// The id of its case, without the seed and the number of a run.
        package var caseID: String { run?.caseID ?? id }
        /// The seed; nil if the case was not played, and the campaign did not choose it.
        package var seed: UInt64? { outcome.seed ?? run?.seed }
    }

    package struct Tally: Hashable, Sendable {
        private var counts = [Int](repeating: 0, count: Verdict.allCases.count)

        package init(_ verdicts: [Verdict] = []) {
            for verdict in verdicts { count(verdict) }
        }

        package subscript(verdict: Verdict) -> Int { Self.index(of: verdict).map { counts[$0] } ?? 0 }

        package var total: Int { counts.reduce(0, +) }

        /// `1 pass, 0 fail, …`, with all verdicts or some of them.
        package func words(of verdicts: [Verdict] = Verdict.allCases) -> String {
            verdicts.map { "\(self[$0]) \($0.rawValue)" }.joined(separator: ", ")
        }

        /// The exit code: an internal error outweighs a fail, and a run that only skipped cases does not succeed.
        package var code: ExitCode {
            if self[.error] > 0 { return .internalError }
            if self[.fail] + self[.inconclusive] > 0 { return .failure }
            return self[.pass] > 0 ? .success : .environment
        }

        package mutating func count(_ verdict: Verdict) {
            if let index = Self.index(of: verdict) { counts[index] += 1 }
        }

        private static func index(of verdict: Verdict) -> Int? { Verdict.allCases.firstIndex(of: verdict) }
    }

    /// The cases whose ids have the same first folder.
    package struct Group: Hashable, Sendable {
        /// Nil for cases without a folder.
        package let name: String?
        /// In the suite's order.
        package fileprivate(set) var cases: [Entry]
        package fileprivate(set) var tally = Tally()

        package var duration: Duration { cases.reduce(.zero) { $0 + $1.outcome.duration } }
    }

    /// Something that identifies the tested peripheral, or the run: `peer`, `C0:FF:EE:00:00:01`.
    package struct Fact: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    package let version: String
    /// What identifies a real peripheral and the run; empty for scenarios.
    package var facts: [Fact] = []
    /// The attributes of a real peripheral, a line each.
    package var attributes: [String] = []
    /// Why selected cases are missing, a line each; empty if the report has all of them.
    package var gaps: [String] = []
    /// The time of a client outside of this program, if it was virtual or could have been.
    package var time: Time?
    /// How much virtual time each turn of the client took, as the user gave it; nil if turns took none.
    package var compute: String?
    private let givenSeed: UInt64?
    /// Which part of a suite was run; nil for all of it.
    package let shard: Selection.Shard?
    /// In the suite's order.
    package private(set) var cases: [Entry] = []
    package private(set) var summary = Tally()
    private var now = Instant.start

    /// An empty report; `seed` is that of the command line.
    package init(version: String, seed: UInt64? = nil, shard: Selection.Shard? = nil) {
        (self.version, givenSeed, self.shard) = (version, seed, shard)
    }

    /// The seed of the command line, else that of all cases; 1, the default, if they differ.
    package var seed: UInt64 {
        if let givenSeed { return givenSeed }
        let seeds = cases.compactMap(\.outcome.seed)
        guard let first = seeds.first, seeds.allSatisfy({ $0 == first }) else { return 1 }
        return first
    }

    /// Adds a case after the others.
    ///
    /// - Returns: Its entry in the report.
    @discardableResult package mutating func add(
        _ id: String, _ outcome: Outcome, run: CampaignRun? = nil
    ) -> Entry {
        let entry = Entry(id: id, outcome: outcome, start: now, run: run)
        cases.append(entry)
        summary.count(outcome.verdict)
        // In whole microseconds, as reports have it, so that one that is read back has the same instants.
        now = now.advanced(byNanoseconds: outcome.duration.inNanoseconds / 1000 * 1000)
        return entry
    }

    package var duration: Duration { now.sinceStart }

    /// The cases by their first folder, in the order of each group's first case.
    package var groups: [Group] {
        var (groups, places): ([Group], [String?: Int]) = ([], [:])
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

    /// A group's name for people.
    package static func title(ofGroup name: String?) -> String { name ?? "no folder" }

    /// The first folder; `./a/x` and `../a/x` are in `a`.
    private static func group(of id: String) -> String? {
        let words = id.split(separator: "/").drop { $0 == "." || $0 == ".." }
        return words.count > 1 ? words.first.map(String.init) : nil
    }

    /// The number of cases per verdict, with the known fails as passes.
    package var accepted: Tally { Tally(cases.map { $0.outcome.isKnown ? .pass : $0.outcome.verdict }) }

    /// The exit code; known fails do not fail the run.
    package var code: ExitCode { accepted.code }
}
