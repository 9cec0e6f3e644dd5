import Expectations

/// The runs of a case that did not pass, of several.
package struct CampaignSummary: Hashable, Sendable {
    private static let maximumLabels = 20

    package let caseID: String
    private let runs: [Report.Entry]

    /// A line: `resting: 3 of 200 seeds failed: 17, 44, 101; replay: lubdub run …`.
    package var line: String {
        let clauses = [Verdict.fail, .error, .inconclusive].compactMap(clause)
        let replay = [Verdict.fail, .error, .inconclusive].lazy.compactMap { verdict in
            runs.first { $0.outcome.verdict == verdict && $0.outcome.replay != nil }?.outcome.replay
        }.first
        return "\(caseID): " + (clauses + (replay.map { ["replay: \($0)"] } ?? [])).joined(separator: "; ")
    }

    fileprivate init(_ caseID: String, _ runs: [Report.Entry]) { (self.caseID, self.runs) = (caseID, runs) }

    private func clause(_ verdict: Verdict) -> String? {
        let labels = runs.filter { $0.outcome.verdict == verdict }.compactMap { $0.run?.label }
        guard !labels.isEmpty else { return nil }
        let noun = runs.contains { $0.run?.number != nil } ? "run" : "seed"
        let share =
            labels.count == runs.count && runs.count > 1 ? "all \(runs.count)" : "\(labels.count) of \(runs.count)"
        let predicate =
            switch verdict {
            case .fail: "failed"
            case .inconclusive: labels.count == 1 ? "was inconclusive" : "were inconclusive"
            default: "had an error"
            }
        let more = labels.count - Self.maximumLabels
        let list = labels.prefix(Self.maximumLabels).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        return "\(share) \(noun)\(runs.count == 1 ? "" : "s") \(predicate): \(list)"
    }
}

extension Report {
    /// The cases of a campaign that did not pass in every run, in the suite's order.
    package var campaign: [CampaignSummary] {
        var (ids, runs): ([String], [String: [Entry]]) = ([], [:])
        for entry in cases where entry.run != nil {
            if runs[entry.caseID] == nil { ids.append(entry.caseID) }
            runs[entry.caseID, default: []].append(entry)
        }
        return ids.compactMap { id in
            guard let own = runs[id], own.contains(where: { $0.outcome.verdict.isFault }) else { return nil }
            return CampaignSummary(id, own)
        }
    }
}
