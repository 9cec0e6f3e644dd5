import Basics
package import Conformance
package import Documents
import Expectations
import Glibc
import Linux
import ScenarioLanguage
package import ScenarioModel

extension CaseFiles {
    /// The files of this machine.  A link to a folder is followed only if it is one of `operands`, so that no tree is infinite.
    package static func real(_ operands: [String]) -> CaseFiles {
        CaseFiles(
            kind: { kind(of: $0, followingLinks: operands.contains($0)) }, names: readableFolderEntries,
            contents: contents)
    }

    private static func kind(of path: String, followingLinks: Bool) -> Kind? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: break
        default: return .other
        }
        if followingLinks { return .folder }
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? .folder : .other
    }
}

/// A case's scenario, or the outcome of a case without a playable one.
package enum CaseReading {
    case scenario(Scenario, warnings: [Problem])
    case unplayed(Outcome)

    /// `variables` are those of the command line.
    package init(_ item: Case, variables: [String: Node] = [:]) {
        let variables = item.variables.merging(variables) { $1 }
        let home = FilePlace(item.operand) == nil ? item.operand : folder(of: item.operand)
        let mayShow = { (path: String) in path == item.operand || leads(path, into: [home]) }
        let reading = ScenarioFile.read(item.path, variables: variables, mayShow: mayShow, load: contents)
        let title = reading.scenario?.name ?? item.id
        let problems = reading.problems
        if let scenario = reading.scenario, problems.isEmpty {
            self = .scenario(scenario, warnings: reading.warnings)
        } else if problems.isEmpty {
            self = .unplayed(
                Outcome(.error, title: title, reasons: ["\(item.path) is a suite, but a case must be a scenario"]))
        } else {
            var outcome = Outcome(.error, title: title)
            outcome.findings = problems.map { problem in
                var finding = CaseFinding(id: nil, verdict: .error, reason: problem.description)
                finding.trace = Array(problem.lines.dropFirst())
                return finding
            }
            self = .unplayed(outcome)
        }
    }
}
