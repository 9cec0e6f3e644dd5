package import Basics
import Cases
package import CommandSupport
package import Conformance
import Expectations
import ScenarioModel

/// The cases of a command line, in the order in which they run.
package struct CaseSelection {
    /// Empty only if no selected case failed in the report of `--last-failed`.
    package private(set) var cases: [Case]
    /// Which part of the selected cases they are; nil for all of them.
    package let shard: Selection.Shard?
    /// Whether the options of a campaign are given, so that a single scenario is run like a suite.
    package let isCampaign: Bool

    private static let options = ["--seeds", "--repeat", "--until-fail", "--last-failed"]

    /// The runs of the cases that `--only`, `--last-failed` and `--shard` select; throws when there are none.
    package init(_ invocation: Invocation) throws(Obstacle) {
        let campaign = try Campaign(invocation)
        let choice = try orFail {
            try invocation.value("--shard", as: "I/N with I from 1 to N, for example 2/4, or auto, or auto/N") {
                ShardChoice($0)
            }
        }
        shard = try choice.map { choice throws(Obstacle) in try Selection.Shard(choice) }
        isCampaign = Self.options.contains(where: invocation.has)
        let all = try discoverCases(invocation.operands, mayRepeat: invocation.has("--repeat"))
        cases = try Self.matching(all, invocation)
        if let path = invocation.text("--last-failed") {
            let selected = Set(cases.map(\.id))
            cases = try Self.failed(of: all, path).filter { selected.contains($0.caseID) }
            guard !cases.isEmpty else { return }
        }
        let runs = try orFail { try campaign.runs(of: cases) }
        cases = Selection(only: [], shard).chosen(of: runs)
        guard cases.isEmpty, let shard else { return }
        throw Obstacle(
            .environment,
            "shard \(shard) is empty: only \(runs.count) case\(runs.count == 1 ? " is" : "s are") selected")
    }

    /// The cases that match `--only`.
    private static func matching(_ cases: [Case], _ invocation: Invocation) throws(Obstacle) -> [Case] {
        let only = invocation.texts("--only")
        let matching = Selection(only: only.map { Glob($0) }, nil).chosen(of: cases)
        guard matching.isEmpty else { return matching }
        guard !cases.isEmpty else { throw Obstacle(.environment, "the suite has no cases") }
        try checkOperands(among: cases)
        let patterns = only.map(\.quoted).joined(separator: " or ")
        let single = cases.count == 1 ? cases.first : nil
        var hint = single.map { "the only case is \($0.id.quoted)" } ?? "\(cases.count.counted("case")); see --list"
        if let id = only.lazy.compactMap({ similar(to: $0, in: cases) }).first {
            hint = "did you mean \(id.quoted)?"
        } else if let id = only.lazy.compactMap({ caseWithExpectation($0, in: cases) }).first {
            hint = "that is an expectation of \(id.quoted); --only selects cases"
        }
        throw Obstacle(.environment, "no case matches \(patterns) (\(hint))")
    }

    /// The id that a pattern without a match probably means: it may have another folder, since ids begin below the operand.
    private static func similar(to pattern: String, in cases: [Case]) -> String? {
        let name = pattern.split(separator: "/").last.map(String.init) ?? ""
        let inOtherFolder = cases.map(\.id).first { $0.split(separator: "/").last == name[...] }
        return inOtherFolder ?? closestMatch(to: pattern, in: cases.map(\.id))
    }

    /// The first case with an expectation that has this id.
    private static func caseWithExpectation(_ id: String, in cases: [Case]) -> String? {
        cases.first { item in
            guard case .scenario(let scenario, _) = CaseReading(item) else { return false }
            return scenario.expectations.contains { $0.id == id }
        }?.id
    }

    /// Throws the problems of a malformed file, which may be a suite that has cases with the ids asked for.
    private static func checkOperands(among cases: [Case]) throws(Obstacle) {
        for case .unplayed(let outcome) in cases.lazy.filter(\.isOperand).map({ CaseReading($0) })
        where outcome.verdict == .error {
            throw Obstacle(.usage, problems: outcome.reasons)
        }
    }

    private static func failed(of cases: [Case], _ path: String) throws(Obstacle) -> [Case] {
        guard let report = try JSONReport.read(files: [path]).first, !report.cases.isEmpty else {
            throw Obstacle(.environment, "--last-failed: \(path) has no cases, since its run was interrupted")
        }
        for gap in report.gaps { Console.warn("--last-failed: \(path): \(gap); the others are left out") }
        return try orFail { try report.failed(of: cases, in: path) }
    }
}

extension Campaign {
    /// The options of a campaign; throws when they contradict each other.
    fileprivate init(_ invocation: Invocation) throws(Obstacle) {
        for (name, other) in [("--seeds", "--seed"), ("--seeds", "--last-failed"), ("--seed", "--last-failed")]
        where invocation.has(name) && invocation.has(other) {
            let why = other == "--last-failed" ? ": the report has the seeds" : ""
            throw Obstacle(.usage, "\(name) and \(other) are mutually exclusive\(why)")
        }
        let limit = Self.maximumRuns
        self.init(
            try orFail {
                try invocation.value("--seeds", as: "A..B, two whole numbers with A not above B, for example 1..200") {
                    SeedRange($0)
                }
            },
            repetitions: try orFail {
                try invocation.value("--repeat", as: "a whole number from 1 to \(limit)") { text in
                    Int(text).flatMap { (1...limit).contains($0) ? $0 : nil }
                }
            })
    }
}

extension Selection.Shard {
    fileprivate init(_ choice: ShardChoice) throws(Obstacle) {
        switch choice {
        case .part(let shard): self = shard
        case .automatic(let count):
            do throws(Obstacle) { self = try Selection.Shard(of: count, variable: environmentVariable) } catch {
                throw Obstacle(.environment, error.description)
            }
        }
    }
}
