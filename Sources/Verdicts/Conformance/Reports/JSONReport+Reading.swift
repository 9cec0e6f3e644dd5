import Basics
package import Documents
import Expectations

extension JSONReport {
    static let maximumCases = 100_000
    /// More than the largest campaign writes whose clients each leave 8 KiB of errors.
    package static let maximumSize = 256 << 20

    /// Why a report of this size is too large to be read again; nil if it is not.
    package static func unreadableReason(cases: Int, octets: Int) -> String? {
        if octets > maximumSize { return "it is larger than \(maximumSize >> 20) MiB" }
        return cases > maximumCases ? "it has more than \(maximumCases) cases" : nil
    }

    /// The report in a file, or all problems of the file.
    ///
    /// The findings of a case without `findings`, as older versions wrote it, are read from the lines of its `reason`, without
    /// the ids of their expectations.
    package static func read(
        _ octets: some Collection<UInt8>, file: String
    ) -> (report: Report?, problems: [Problem]) {
        let log = ProblemLog()
        guard let node = Node.repaired(json: octets, file: file, log: log, atMost: maximumSize) else {
            return (nil, log.problems)
        }
        let document = Cursor(node, file: file, log: log)
        grammar.check(document)
        guard log.isEmpty else { return (nil, log.problems) }
        let report = report(document)
        return (log.isEmpty ? report : nil, log.problems)
    }

    private static func report(_ document: Cursor) -> Report {
        let seed = document["seed"]?.integer.map(UInt64.init)
        let shard = document["shard"]?.string.flatMap { Selection.Shard($0) }
        var report = Report(version: document["lubdub"]?.string ?? "", seed: seed, shard: shard)
        report.facts = (document["facts"]?.items ?? []).compactMap { fact in
            fact["name"]?.string.flatMap { name in fact["value"]?.string.map { Report.Fact(name, $0) } }
        }
        report.time = document["time"]?.string.flatMap(Report.Time.init)
        report.compute = document["compute"]?.string
        report.gaps = document["incomplete"]?.items.compactMap(\.string) ?? []
        report.attributes = document["attributes"]?.items.compactMap(\.string) ?? []
        var ids: Set<String> = []
        guard let cases = document["cases"] else { return report }
        guard cases.items.count <= maximumCases else {
            cases.note(.tooLarge, "the report has more than \(maximumCases) cases")
            return report
        }
        cases.eachItem { item in
            let id = item["id"]?.string ?? ""
            if id.isEmpty { item["id"]?.note(.outOfRange, "the id of a case must not be empty") }
            if !ids.insert(id).inserted {
                item["id"]?.note(
                    .duplicateID, "another case has the id \(id.abbreviated.quoted)",
                    help: "merge reports of different cases")
            }
            report.add(id, outcome(item), run: run(item, id))
        }
        if let summary = document["summary"], ids.count == cases.items.count { check(summary, of: report) }
        return report
    }

    /// Which run of a campaign a case is; nil if its id is that of the case.
    private static func run(_ item: Cursor, _ id: String) -> CampaignRun? {
        guard let caseID = item["case"]?.string, caseID != id else { return nil }
        let number = item["run"]?.integer
        let seeded = CampaignRun(caseID: caseID, seed: item["seed"]?.integer.map(UInt64.init), number: number)
        return seeded.id == id ? seeded : CampaignRun(caseID: caseID, number: number)
    }

    private static func check(_ summary: Cursor, of report: Report) {
        for verdict in Verdict.allCases where summary[verdict.rawValue]?.integer != report.summary[verdict] {
            summary[verdict.rawValue]?.note(
                .outOfRange, "expected \(report.summary[verdict]), the number of cases with this verdict")
        }
    }

    private static func outcome(_ item: Cursor) -> Outcome {
        let verdict = item["verdict"]?.string.flatMap(Verdict.init) ?? .error
        var outcome = Outcome(
            verdict, title: item["title"]?.string ?? "", replay: item["replay"]?.string,
            seed: item["seed"]?.integer.map(UInt64.init), duration: duration(item["duration"]?.number ?? 0))
        outcome.requirements = [item["requirement"]?.string].compactMap { $0 }
        outcome.note = item["note"]?.string
        outcome.clientErrors = lines(item["stderr"])
        outcome.isKnown = item["known"]?.bool ?? false
        if let findings = item["findings"] {
            outcome.findings = findings.items.map(finding)
            return outcome
        }
        for line in (item["reason"]?.string ?? "").split(separator: "\n", omittingEmptySubsequences: true) {
            if line.hasPrefix("  "), !outcome.findings.isEmpty {
                outcome.findings[outcome.findings.count - 1].trace.append(String(line.dropFirst(2)))
            } else {
                outcome.findings.append(CaseFinding(id: nil, verdict: verdict, reason: String(line)))
            }
        }
        return outcome
    }

    private static func lines(_ text: Cursor?) -> [String] {
        (text?.string).map { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) } ?? []
    }

    private static func finding(_ item: Cursor) -> CaseFinding {
        let cause = item["cause"]?.string
        var why = item["seen"]?.string.map { Reason(expected: item["expected"]?.string, seen: $0, cause: cause) }
        why?.kinds = item["causes"]?.items.compactMap { $0.string.flatMap(CauseKind.init) } ?? []
        return CaseFinding(
            id: item["id"]?.string, requirement: item["requirement"]?.string,
            verdict: item["verdict"]?.string.flatMap(Verdict.init) ?? .error,
            why: why, at: item["at"]?.number.map { Instant.start.advanced(by: duration($0)) },
            trace: item["packets"]?.items.compactMap(\.string) ?? [])
    }

    /// Seconds as a duration in whole microseconds, as they were written; an `Instant` ends after 292 years.
    private static func duration(_ seconds: Double) -> Duration {
        .microseconds(Int64((min(seconds, 9e9) * 1e6).rounded()))
    }
}
