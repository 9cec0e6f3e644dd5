import Arguments
import Conformance
import Documents
import Expectations
import Glibc
import Scenarios
import Spelling

extension CaseFiles {
    /// That of this machine.  A link to a folder is followed only if it is one of `operands`, so that no tree is endless.
    static func real(_ operands: [String]) -> CaseFiles {
        CaseFiles(kind: { kind(of: $0, followingLinks: operands.contains($0)) }, names: names, contents: contents)
    }

    private static func kind(of path: String, followingLinks: Bool) -> Kind? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: break
        default: return nil
        }
        if followingLinks { return .folder }
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? .folder : nil
    }

    /// What a folder holds, in any order.
    static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            names.append(name)
        }
        return names
    }
}

/// The cases that operands stand for; throws every problem of the operands and their suites.
func gathered(_ operands: [String]) throws(CommandFailure) -> [Case] {
    let gathering = SuiteDiscovery(operands, in: .real(operands))
    guard gathering.problems.isEmpty else {
        throw CommandFailure(.usage, gathering.problems.map(\.description).joined(separator: "\n"))
    }
    return gathering.cases
}

/// A case's scenario, or what comes of a case that has none that can be played.
enum CaseReading {
    case scenario(Scenario)
    case unplayed(Outcome)

    /// `variables` are those of the command line.
    init(_ item: Case, variables: [String: Node] = [:]) {
        let variables = item.variables.merging(variables) { $1 }
        let reading = ScenarioFile.read(item.path, variables: variables, load: contents)
        let title = reading.scenario?.name ?? item.id
        let problems = reading.problems
        if let scenario = reading.scenario, problems.isEmpty {
            self = .scenario(scenario)
        } else if problems.isEmpty {
            self = .unplayed(
                Outcome(.error, title: title, reasons: ["\(item.path) is a suite, and a case is a scenario"]))
        } else {
            // What is only not played yet is no fault of the file.
            let verdict: Verdict = problems.allSatisfy { $0.code == .notYet } ? .skip : .error
            self = .unplayed(Outcome(verdict, title: title, reasons: problems.map(\.description)))
        }
    }
}
