import Arguments
import CheckCatalogue
import Checks
import ClientTesting
import CommandSupport
import Conformance
import Doctor
import Documents
import Reporting
import ScenarioLanguage
import Scenarios
import ServiceFramework
import Services
import TextFormatting

let validateGrammar = Arguments.Grammar(
    "validate", "Report every problem in scenario files",
    operands: [
        .anyNumber("FILE", "A scenario, a suite or a folder of them; one at least, unless a schema is printed")
    ],
    options: [
        .flag("--schema", "Print the JSON Schema of scenarios, and validate nothing"),
        .flag("--report-schema", "Print the JSON Schema of JSON reports, and validate nothing"),
    ])

func validate(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    if invocation.has("--schema") {
        Console.print(linesOf: String(ScenarioSchema.json.dropLast()))  // its line feed
        return .success
    }
    if invocation.has("--report-schema") {
        Console.print(linesOf: String(JSONReport.schema.dropLast()))
        return .success
    }
    guard !invocation.operands.isEmpty else { throw CommandFailure(.usage, "validate requires a FILE") }
    let (paths, obstacles) = SuiteDiscovery.documents(invocation.operands, in: .real(invocation.operands))
    for obstacle in obstacles { Console.print("\(obstacle)") }
    var isValid = obstacles.isEmpty
    for path in paths {
        let reading = ScenarioFile.read(path, variables: [:], load: contents)
        let (problems, warnings) = (reading.problems, reading.warnings)
        for problem in problems + warnings { Console.print("\(problem)") }
        let count = warnings.isEmpty ? "" : ", \(warnings.count.counted("warning"))"
        if problems.isEmpty { Console.print("\(path): no problems\(count)") }
        if !problems.isEmpty { isValid = false }
    }
    return isValid ? .success : .usage
}

let explainGrammar = Arguments.Grammar(
    "explain", "Explain a diagnostic code, a check, an action or a service",
    operands: [
        .required(
            "WORD",
            "A diagnostic code such as LD0107, a check's id (see \"lubdub check --list\"), an action such as link_loss,\nor a service such as heart_rate"
        )
    ])

func explain(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let operand = invocation.operands.first ?? ""
    let word = operand.uppercased()
    if let service = ServiceRegistry.service(named: operand) {
        Console.print(linesOf: service.reference)
        return .success
    }
    if let check = Check.all.first(where: { $0.id.uppercased() == word }) {
        let kind =
            switch check.weight {
            case .required: "required by"
            case .recommended: "recommended by"
            case .robustness: "for robustness, by"
            }
        Console.print("\(check.id): \(check.title); \(kind) \(check.requirement)")
        return .success
    }
    if let asked = CollectorCase(id: word) {
        let place = asked.limitation.map { "not tested: \($0)" } ?? "tested by scenarios that require it"
        Console.print("\(asked.id): \(asked.title); required by \(asked.requirement); \(place)")
        return .success
    }
    if let action = Action.Kind(rawValue: operand.lowercased()) {
        Console.print("\(action.rawValue): \(action.explanation)")
        return .success
    }
    guard
        let explanation = DiagnosticCode(rawValue: word)?.explanation ?? MachineCode(rawValue: word)?.explanation
    else {
        let codes = DiagnosticCode.allCases.map(\.rawValue) + MachineCode.allCases.map(\.rawValue)
        let hint =
            closestMatch(to: word, in: codes)
            ?? closestMatch(
                to: operand,
                in: Check.all.map(\.id) + CollectorCase.all.map(\.id) + Action.Kind.allCases.map(\.rawValue))
        throw CommandFailure(
            .usage,
            "unknown code, check, action or service \(operand.abbreviated.quoted)"
                + (hint.map { " (did you mean \($0.quoted)?)" } ?? " (\"lubdub check --list\" lists the checks)"))
    }
    Console.print("\(word): \(explanation)")
    return .success
}
