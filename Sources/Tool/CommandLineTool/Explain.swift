import Basics
import CheckCatalogue
import Checks
import Clients
import CommandSupport
import Conformance
import Documents
import ScenarioLanguage

let explainGrammar = CommandGrammar(
    "explain", "Explain a word of the scenario language, a check or a diagnostic code",
    operands: [
        .optional(
            "WORD",
            "A word of a scenario such as ramp, link_loss, $truth or heart_rate/rr_ms, a group of words such as actions,\na check's id (see \"lubdub check --list\"), or a diagnostic code such as LD0107; without it, the groups are listed"
        )
    ])

func explain(_ invocation: Invocation, of program: Program) throws(Obstacle) -> ExitCode {
    guard let word = invocation.operands.first else {
        printGroups()
        return .success
    }
    guard let lines = explanation(of: word) else {
        if program.commands.contains(where: { $0.command == word }) {
            throw Obstacle(.usage, "\(word.quoted) is a command: see \"lubdub \(word) --help\"")
        }
        let hint = Reference.similarWord(to: word) ?? closestMatch(to: word.uppercased(), in: codes.map(\.code))
        throw Obstacle(
            .usage,
            "unknown word \(word.abbreviated.quoted)"
                + ((hint ?? closestMatch(to: word, in: ids)).map { " (did you mean \($0.quoted)?)" }
                    ?? " (\"lubdub explain\" lists the groups of words)"))
    }
    for line in lines { Console.print("\(line)") }
    return .success
}

private func printGroups() {
    let others = [
        ("checks", "The checks of peripherals; \"lubdub check --list\" lists them."),
        ("codes", "The codes of problems, such as LD0107."),
    ]
    let groups = Reference.groups + others.map { (name: $0.0, about: $0.1) }
    let width = groups.map(\.name.count).max() ?? 0
    for (name, about) in groups { Console.print("\(name.padded(to: width))  \(about)") }
    Console.print("")
    Console.print("lubdub explain GROUP lists the words of a group, and lubdub explain WORD explains one.")
}

private func explanation(of operand: String) -> [String]? {
    let word = operand.uppercased()
    if let lines = Reference.explanation(of: operand) { return lines }
    if let client = FaultyClient.all.first(where: { $0.name == operand }) {
        return ["\(client.name) (faulty client): \(client.about); \"run --faulty \(client.name)\" plays it"]
    }
    if operand == "nothing_invented" {
        return [
            "nothing_invented (expectation): Each value that a client prints was delivered to it. \"run\" judges it for"
                + " each client under test, in addition to the expectations of the scenario."
        ]
    }
    if operand == "checks" { return Check.all.map { "\($0.id): \($0.title)" } }
    if operand == "codes" { return codes.map { "\($0.code): \($0.explanation)" } }
    if let check = Check.all.first(where: { $0.id.uppercased() == word }) {
        let kind =
            switch check.weight {
            case .required: "required by"
            case .recommended: "recommended by"
            case .robustness: "for robustness, by"
            }
        return ["\(check.id): \(check.title); \(kind) \(check.requirement)"]
    }
    if let asked = CollectorCase(id: word) {
        let place = asked.limitation.map { "not tested: \($0)" } ?? "tested by scenarios that require it"
        return ["\(asked.id): \(asked.title); required by \(asked.requirement); \(place)"]
    }
    return codes.first { $0.code == word }.map { ["\(word): \($0.explanation)"] }
        ?? Reference.explanation(of: operand.lowercased())
}

/// The codes of problems in files and with the machine.
private var codes: [(code: String, explanation: String)] {
    DiagnosticCode.allCases.map { ($0.rawValue, $0.explanation) }
        + MachineCode.allCases.map { ($0.rawValue, $0.explanation) }
}
private var ids: [String] { Check.all.map(\.id) + CollectorCase.all.map(\.id) }
