package import Basics
import CheckCatalogue
package import Checks
package import Conformance
import Documents
import Expectations
import Linux

/// Fails that are known, and do not fail the run.
package struct Baseline {
    /// What messages name it.
    let name: String
    private let ids: Set<String>

    /// The fails of a JSON report, of a list of deviations, or of a stack in Lubdub's list.
    package init(named name: String) throws(Obstacle) {
        if let stack = try Self.stacks().first(where: { $0.name == name }) {
            self = stack
            return
        }
        guard let octets = contents(of: name) else {
            let names = try Self.stacks().map(\.name.quoted).joined(separator: ", ")
            throw Obstacle(
                .usage,
                "--baseline: cannot read the file \(name.quoted): name a JSON report, a list of deviations, or a known "
                    + "stack (\(names))")
        }
        try self.init(octets, file: name)
        let unknown = unknownIDs
        guard let first = unknown.first else { return }
        let others = unknown.count > 1 ? " and \(unknown.count - 1) more" : ""
        let hint = suggestion(for: first, among: Check.all.map(\.id))
        let list = "\(first.abbreviated.quoted)\(others)\(hint)"
        Notices.warn("--baseline: \(name.quoted) has ids that no check has: \(list)")
    }

    /// The fails of a JSON report or a list of deviations in a file.
    package init(_ octets: [UInt8], file name: String) throws(Obstacle) {
        self.name = name
        let document = try Self.document(octets, file: name)
        guard let list = document["deviations"] else {
            let (report, problems) = JSONReport.read(octets, file: name)
            guard let report else { throw Obstacle(.usage, problems: problems.flatMap(\.lines)) }
            ids = Set(report.cases.filter { $0.outcome.verdict == .fail }.map(\.id))
            return
        }
        let problems = Self.problems(of: list)
        guard problems.isEmpty else { throw Obstacle(.usage, problems: problems.flatMap(\.lines)) }
        ids = Set(Self.deviations(document).map(\.check))
    }

    /// The ids that belong to no check, in order.
    var unknownIDs: [String] { ids.subtracting(Check.all.map(\.id)).sorted() }

    private init(_ name: String, _ ids: Set<String>) { (self.name, self.ids) = (name, ids) }

    package func accepts(_ outcome: Check.Outcome) -> Bool {
        outcome.verdict == .fail && ids.contains(outcome.check.id)
    }

    /// What a run shows about known fails.
    package static func facts(_ report: Report, _ baseline: Baseline?) throws(Obstacle) -> [String] {
        guard let baseline else { return try likelyStack(report).map { [$0] } ?? [] }
        let known = report.cases.count { $0.outcome.isKnown }
        let cured = report.cases.filter { $0.outcome.verdict == .pass && baseline.ids.contains($0.id) }.map(\.id)
        var facts = ["\(known.counted("known fail")) of \(baseline.name.quoted)"]
        if !cured.isEmpty { facts.append("no longer failing: \(cured.joined(separator: ", "))") }
        return facts
    }

    /// Names the stack, if all of its known deviations that were checked fail.
    private static func likelyStack(_ report: Report) throws(Obstacle) -> String? {
        let fails = Set(report.cases.filter { $0.outcome.verdict == .fail }.map(\.id))
        let judged = Set(report.cases.filter { $0.outcome.verdict != .skip }.map(\.id))
        for stack in try stacks() {
            let own = stack.ids.intersection(judged)
            guard own.count >= minimumSigns, own.isSubset(of: fails) else { continue }
            return
                "\(own.count == fails.count ? "all" : "\(own.count) of the") \(fails.count) fails are known deviations of \(stack.name): accept them with --baseline "
                + stack.name.forShell
        }
        return nil
    }

    /// Fails of a stack that another one hardly has, too.
    private static let minimumSigns = 5

    // MARK: Lists of deviations

    /// The stacks in `Documentation/known-deviations.json`, by name and version.
    private static func stacks() throws(Obstacle) -> [Baseline] {
        let document = try document(PackageResources.known_deviations_json, file: "known-deviations.json")
        let all = deviations(document)
        return (document["stacks"]?.entries ?? []).map { member, stack in
            let version = stack["version"]?.string.map { " \($0)" } ?? ""
            return Baseline(member.key + version, Set(all.filter { $0.stack == member.key }.map(\.check)))
        }
    }

    private static func deviations(_ document: Cursor) -> [(stack: String?, check: String)] {
        (document["deviations"]?.items ?? []).compactMap { item in
            item["case"]?.string.map { (item["stack"]?.string, $0) }
        }
    }

    /// Why a list of deviations names no check: it is not a list of objects with an id each.
    private static func problems(of list: Cursor) -> [Problem] {
        let log = ProblemLog()
        let list = list.reporting(to: log)
        guard case .array = list.node.value else {
            list.note(
                .wrongType, "expected a list, found \(list.node.kind)", help: #"write "deviations": [{"case": ID}]"#)
            return log.problems
        }
        list.eachItem { item in
            guard let id = item["case"] else {
                return item.note(.missingKey, "\"case\" is required", help: "it is the id of a check", key: "case")
            }
            if !id.node.isString { id.note(.wrongType, "expected the id of a check, found \(id.node.kind)") }
        }
        return log.problems
    }

    private static func document(_ octets: [UInt8], file: String) throws(Obstacle) -> Cursor {
        let log = ProblemLog()
        do throws(Problem) {
            return Cursor(try Node(json: octets, file: file, log: log), file: file, log: log)
        } catch { throw Obstacle(.usage, problems: (log.problems + [error]).flatMap(\.lines)) }
    }
}
