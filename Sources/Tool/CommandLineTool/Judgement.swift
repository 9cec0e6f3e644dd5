import Arguments
import Conformance
import Expectations
import Scenarios
import Simulation
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
    private let fault: ClientFault?
    private let recollection: Recollection?

    /// Of a rehearsal whose judging has ended.
    init(_ rehearsal: Rehearsal, of played: Played) throws(CommandFailure) {
        self.init(
            rehearsal.world, isStrict: played.isStrict, recollection: try rehearsal.recollection(of: played))
    }

    /// Of a world whose judging has ended; `isStrict` takes recommendations for requirements.  A client under test may
    /// have a fault, and if it never played, nothing else was judged.
    init(_ world: World, isStrict: Bool, client: ClientRecord? = nil, recollection: Recollection? = nil) {
        (fault, self.recollection) = (client?.fault, recollection)
        guard client?.hasPlayed ?? true else {
            (rows, self.isStrict) = ([], isStrict)
            return
        }
        rows = world.rulings.sorted { $0.expectation < $1.expectation }.map { ruling in
            Row(expectation: world.scenario.expectations[ruling.expectation], ruling: ruling)
        }
        self.isStrict = isStrict
    }

    /// How the run ended; nil when nothing was judged.
    var code: ExitCode? {
        if let fault { return fault.verdict == .error ? .inner : .failure }
        guard !required.isEmpty else { return nil }
        return Report.Tally(required.map(\.ruling.verdict)).code
    }

    /// What was found of the client, if that has a fault, and of each requirement in the scenario's order.
    var findings: [CaseFinding] {
        let first = fault.map { [CaseFinding(id: "client", verdict: $0.verdict, reason: $0.reason)] } ?? []
        return first
            + required.map { row in
                CaseFinding(
                    id: row.expectation.id, requirement: requirement(of: row), verdict: row.ruling.verdict,
                    why: row.ruling.why, at: row.ruling.at, trace: trace(row))
            }
    }

    private var required: [Row] { rows.filter { isStrict || !$0.expectation.isRecommendation } }

    /// A line for each expectation, the recommendations last, and one for all of them.
    func lines(_ paint: Paint) -> [String] {
        guard !rows.isEmpty || fault != nil else { return [] }
        let recommended = rows.filter { !isStrict && $0.expectation.isRecommendation }
        let first = fault.map { [paint($0.verdict.rawValue, .warning) + "  client: \($0.reason)"] } ?? []
        return first + required.flatMap { [line($0, paint)] + CaseFormatter.trace(trace($0), paint, behind: 6) }
            + recommended.map { "should  " + line($0, paint) } + [summary]
    }

    private func trace(_ row: Row) -> [String] {
        guard row.ruling.verdict == .fail else { return [] }
        return recollection?.lines(around: row.ruling.at) ?? []
    }

    /// With the section that wants it, where it did not pass.
    private func requirement(of row: Row) -> String? {
        let requirement = row.expectation.requirement
        guard row.ruling.verdict != .pass, let known = requirement.flatMap(CollectorCase.init) else {
            return requirement
        }
        return "\(known.id), \(known.requirement)"
    }

    private func line(_ row: Row, _ paint: Paint) -> String {
        let verdict = row.ruling.verdict
        var text = paint(verdict.rawValue, verdict == .pass ? .state : .warning) + "  \(row.expectation.id)"
        // Quoted, it stays on one line whatever the file says.
        if let requirement = requirement(of: row) { text += " (\(requirement.quoted.dropFirst().dropLast()))" }
        return row.ruling.reason.map { "\(text): \($0)" } ?? text
    }

    private var summary: String {
        let tally = Report.Tally(required.map(\.ruling.verdict) + (fault.map { [$0.verdict] } ?? []))
        return tally.words(of: [.pass, .fail, .inconclusive] + [.skip, .error].filter { tally[$0] > 0 })
    }
}

extension Played {
    /// The command line that plays the same again.
    var replay: String {
        replay("run", item?.operand ?? path, clientOptions, only: item?.ownID ?? caseID)
    }

    /// The command line that asks one check of the same again.
    func replay(of check: String) -> String { replay("check", path, only: check) }

    private func replay(_ command: String, _ operand: String, _ options: [String] = [], only id: String) -> String {
        var words = ["lubdub", command, operand, "--seed", "\(seed)"] + options
        for setting in settings { words += ["--set", setting] }
        if let limitText { words += ["--for", limitText] }
        if isStrict { words.append("--strict") }
        return (words + ["--only", id]).map(\.forShell).joined(separator: " ")
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
