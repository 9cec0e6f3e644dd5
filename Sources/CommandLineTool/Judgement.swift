import Arguments
import Expectations
import Scenarios
import Spelling
import VirtualWorld

/// What became of a scenario's expectations, for people and for the exit status.
struct Judgement {
    private struct Row {
        let expectation: Expectation
        let ruling: Judge.Ruling
    }

    private let rows: [Row]  // in the scenario's order
    private let isStrict: Bool

    /// Of a world whose judging has ended; `isStrict` takes recommendations for requirements.
    init(_ world: World, isStrict: Bool) {
        rows = world.rulings.sorted { $0.expectation < $1.expectation }.map { ruling in
            Row(expectation: world.scenario.expectations[ruling.expectation], ruling: ruling)
        }
        self.isStrict = isStrict
    }

    /// How the run ended; nil when nothing was judged.
    var code: ExitCode? {
        guard !required.isEmpty else { return nil }
        return required.allSatisfy { $0.ruling.verdict == .pass } ? .success : .failure
    }

    private var required: [Row] { rows.filter { isStrict || !$0.expectation.isRecommendation } }

    /// A line for each expectation, the recommendations last, and one for all of them.
    func lines(_ paint: Paint) -> [String] {
        guard !rows.isEmpty else { return [] }
        let recommended = rows.filter { !isStrict && $0.expectation.isRecommendation }
        return required.map { line($0, paint) } + recommended.map { "should  " + line($0, paint) } + [summary]
    }

    private func line(_ row: Row, _ paint: Paint) -> String {
        let verdict = row.ruling.verdict
        var text = paint(verdict.rawValue, verdict == .pass ? .state : .warning) + "  \(row.expectation.id)"
        // Quoted, it stays on one line whatever the file says.
        if let requirement = row.expectation.requirement { text += " (\(requirement.quoted.dropFirst().dropLast()))" }
        return row.ruling.reason.map { "\(text): \($0)" } ?? text
    }

    private var summary: String {
        Judge.Verdict.allCases.map { verdict in
            "\(required.count { $0.ruling.verdict == verdict }) \(verdict.rawValue)"
        }.joined(separator: ", ")
    }
}

extension Played {
    /// The command line that plays the same again.
    var replay: String {
        var words = ["lubdub", "run", path, "--seed", "\(seed)"]
        for setting in settings { words += ["--set", setting] }
        if let limitText { words += ["--for", limitText] }
        if isStrict { words.append("--strict") }
        return (words + ["--only", caseID]).map(\.forShell).joined(separator: " ")
    }
}

extension String {
    /// As a shell takes it for one word.
    var forShell: String {
        let plain = "/._-=+:,@%"
        guard !isEmpty, allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || plain.contains($0) }) else {
            return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
        }
        return self
    }
}
