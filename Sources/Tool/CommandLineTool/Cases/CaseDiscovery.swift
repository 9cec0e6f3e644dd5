package import Basics
import Cases
import CommandSupport
package import Conformance
import Documents
import Glibc
import Linux
import ScenarioLanguage

/// The cases that the operands name, the same case twice only if it `mayRepeat`; throws all problems of the operands and
/// their suites.
package func discoverCases(_ operands: [String], mayRepeat: Bool = false) throws(Obstacle) -> [Case] {
    let discovery = SuiteDiscovery(operands, in: .real(operands), mayRepeat: mayRepeat)
    guard discovery.problems.isEmpty else {
        throw Obstacle(.usage, problems: discovery.problems.map(pointingToLibrary).flatMap(\.lines))
    }
    return discovery.cases
}

/// The problem of a folder without scenarios, with a hint if installed ones have the same name.
private func pointingToLibrary(_ problem: Problem) -> Problem {
    let name = "scenarios/\(problem.file)"
    guard problem.code == .unreadable, unsafe access(problem.file, F_OK) == 0, unsafe access(name, F_OK) != 0,
        (try? ScenarioLibrary.installed?.path(named: name, orFolder: true)) != nil
    else { return problem }
    var problem = problem
    problem.help = "for the installed scenarios of this name, write \(name)"
    return problem
}
