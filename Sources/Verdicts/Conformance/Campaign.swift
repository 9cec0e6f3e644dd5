package import Basics
import Expectations

/// Which of the runs of a case one is.
package struct CampaignRun: Hashable, Sendable {
    package let caseID: String
    /// The seed, if the campaign has several.
    package let seed: UInt64?
    /// From 1, if the campaign repeats cases.
    package let number: Int?

    package init(caseID: String, seed: UInt64? = nil, number: Int? = nil) {
        (self.caseID, self.seed, self.number) = (caseID, seed, number)
    }

    /// The id of the run in reports: `resting@17`, `resting#2` or `resting@17#2`.
    package var id: String { caseID + (seed.map { "@\($0)" } ?? "") + (number.map { "#\($0)" } ?? "") }

    /// The run among others of the case: `17`, `2` or `17#2`.
    var label: String {
        guard let seed else { return number.map { "\($0)" } ?? "" }
        return "\(seed)" + (number.map { "#\($0)" } ?? "")
    }
}

/// The seeds `A..B` of a campaign, both included.
package struct SeedRange: Hashable, Sendable {
    let seeds: ClosedRange<UInt64>

    /// Nil unless it is written `A..B`, with A not above B, both in the range of a scenario's seed.
    package init?(_ text: String) {
        let words = text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, text.utf8.allSatisfy({ $0 == 0x2E || 0x30...0x39 ~= $0 }), let first = UInt64(words[0]),
            let last = UInt64(words[1]), first <= last, last <= Int.max
        else { return nil }
        seeds = first...last
    }

    fileprivate var count: UInt64 { seeds.upperBound - seeds.lowerBound + 1 }
}

/// How often each case is run, and with which seeds.
package struct Campaign: Hashable, Sendable {
    /// The maximum number of runs; a JSON report of them can still be read.
    package static let maximumRuns = 20_000

    private let seeds: SeedRange?
    private let repetitions: Int?

    /// Each case runs with each of the seeds, `repetitions` times each.
    package init(_ seeds: SeedRange?, repetitions: Int?) { (self.seeds, self.repetitions) = (seeds, repetitions) }

    /// The runs of these cases, those of a case one after another; the cases themselves if there is nothing to repeat.
    package func runs(of cases: [Case]) throws(Obstacle) -> [Case] {
        guard seeds != nil || repetitions != nil else { return cases }
        let (each, overflows) = (seeds?.count ?? 1).multipliedReportingOverflow(by: UInt64(max(repetitions ?? 1, 0)))
        let (all, carries) = each.multipliedReportingOverflow(by: UInt64(cases.count))
        guard !overflows, !carries, all <= UInt64(Self.maximumRuns) else {
            let options = [seeds == nil ? nil : "--seeds", repetitions == nil ? nil : "--repeat"].compactMap { $0 }
            throw Obstacle(
                .usage,
                "\(options.joined(separator: " and ")): there are more than "
                    + "\(Self.maximumRuns) runs: choose fewer, or select cases with --only")
        }
        var numbers: [CampaignRun: Int] = [:]
        return cases.flatMap { item -> [Case] in
            let own = seeds.map { $0.seeds.map(Optional.some) } ?? [item.run?.seed]
            return own.flatMap { seed in
                (0..<(repetitions ?? 1)).map { _ in
                    var run = CampaignRun(caseID: item.caseID, seed: seed)
                    if repetitions != nil {
                        let number = numbers[run, default: 0] + 1
                        numbers[run] = number
                        run = CampaignRun(caseID: item.caseID, seed: seed, number: number)
                    }
                    return item.repeated(as: run)
                }
            }
        }
    }
}

extension Case {
    fileprivate func repeated(as run: CampaignRun) -> Case {
        var item = self
        (item.id, item.run, item.seed) = (run.id, run, run.seed ?? seed)
        return item
    }
}

extension Report {
    /// The cases that did not pass, and were not skipped.
    private var faults: [Entry] { cases.filter { $0.outcome.isFault } }

    /// Those of the suite's `cases` that did not pass, with the same seeds, each seed once; `file` is the report's name in messages.
    package func failed(of cases: [Case], in file: String) throws(Obstacle) -> [Case] {
        let known = Dictionary(cases.map { ($0.id, $0) }) { first, _ in first }
        var runs: [Case] = []
        var ids: Set<String> = []
        for entry in faults {
            guard let item = known[entry.caseID] else {
                throw Obstacle(
                    .usage,
                    "--last-failed: \(entry.caseID.quoted) of \(file) is not one of the cases: give the same SUITE as in that run"
                )
            }
            let run = CampaignRun(caseID: item.id, seed: entry.run?.seed)
            guard ids.insert(run.id).inserted else { continue }
            var again = entry.run?.seed == nil ? item : item.repeated(as: run)
            again.seed = entry.seed ?? item.seed
            runs.append(again)
        }
        return runs
    }
}
