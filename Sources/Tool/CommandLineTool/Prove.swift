import Basics
import Cases
import Clients
import CommandSupport
import Conformance
import Documents
import Linux
import ScenarioModel
import Sockets

let proveGrammar = CommandGrammar(
    "prove", "Play scenarios with faulty clients, and report expectations that fail none of them",
    operands: [
        .anyNumber("SUITE", of: .suite, "A scenario, a suite or a folder of them; one at least, unless there is --list")
    ],
    options: [
        .option(
            "--only", "GLOB", repeatable: true,
            "Play only cases whose id matches; * also matches /. \"run --list\" prints the ids"),
        variableOption, seedOption,
        .flag("--list", "Print the faulty clients with their faults, and play nothing"),
        .flag(
            "--json",
            "Print one JSON object per expectation: {\"case\", \"expectation\", \"should\", \"proven\", \"failed_by\": names of\n"
                + "clients, ...} as in schema/prove.schema.json; with --list, one per client"),
        .flag("--quiet", "Print only expectations that are not proven, and the summary"),
        .flag("--verbose", "Print all names of clients, also of those whose faults do not show"), colorOption,
    ])

func prove(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    if invocation.has("--list") {
        listFaultyClients(invocation)
        return .success
    }
    guard !invocation.operands.isEmpty else { throw Obstacle(.usage, "prove requires a SUITE") }
    let printer = try ProofPrinter(invocation)
    let selection = try CaseSelection(invocation)
    let (variables, seed) = (
        try RunPlan.variables(invocation.texts("--set")), try RunPlan.seed(invocation)
    )
    let signals = Signals()
    for (index, item) in selection.cases.enumerated() {
        let scenario: Scenario
        switch CaseReading(item, variables: variables) {
        case .scenario(let read, let warnings):
            scenario = read
            printLikelyMistakes(warnings)
            printer.note(warnings, of: item)
        case .unplayed(let outcome): throw Obstacle(.usage, problems: outcome.reasons)
        }
        guard !scenario.expectations.isEmpty else {
            printer.addCaseWithoutExpectations(item)
            continue
        }
        if let reason = scenario.unplayed(on: .rehearsal).first {
            Console.warn("\(item.id): no faulty client can play it: \(reason)")
            continue
        }
        if selection.cases.count > 1 { printer.begin(item) }
        var proof = try Proof(RunPlan(scenario, item, seed: seed, keep: nil, invocation))
        printer.note(proof.missed, of: item)
        for (number, client) in FaultyClient.all.enumerated() {
            if let signal = signals.take() {
                printer.end()
                return .signal(signal)
            }
            printer.showProgress(
                Double(index) + Double(number) / Double(FaultyClient.all.count), of: selection.cases.count, client)
            try proof.play(client)
        }
        printer.show(proof, of: item)
    }
    printer.end()
    return printer.isProven ? .success : .failure
}

private func listFaultyClients(_ invocation: Invocation) {
    let width = FaultyClient.all.map(\.name.count).max() ?? 0
    for client in FaultyClient.all {
        guard invocation.has("--json") else {
            Console.print("\(client.name.padded(to: width))  \(client.about)")
            continue
        }
        Console.print(
            "\(jsonObject([("name", client.name.quoted), ("about", client.about.quoted), ("source", client.source?.quoted ?? "null")]))"
        )
    }
}

/// Prints proofs in the format that the command line asks for.
private final class ProofPrinter {
    private let isJSON: Bool
    private let verbosity: Verbosity
    private let paint: Paint
    private let bar: ProgressBar?
    private var required = (count: 0, proven: 0)
    private var recommended = (count: 0, proven: 0)
    /// The ids of the cases without expectations.
    private var empty: [String] = []
    /// The ids of the cases with likely mistakes.
    private var mistaken: Set<String> = []

    init(_ invocation: Invocation) throws(Obstacle) {
        isJSON = invocation.has("--json")
        verbosity = try Verbosity(invocation)
        paint = try Paint(invocation, for: Console.descriptor)
        bar = verbosity == .quiet ? nil : ProgressBar()
    }

    func begin(_ item: Case) {
        if !isJSON, verbosity > .quiet { Console.print("\(item.id.quoted.dropFirst().dropLast())") }
    }

    func showProgress(_ cases: Double, of count: Int, _ client: FaultyClient) {
        bar?.show(cases / Double(count), client.name)
    }

    func show(_ proof: Proof, of item: Case) {
        if bar != nil { ProgressBar.remove() }
        let width = proof.rows.map(\.expectation.count).max() ?? 0
        for row in proof.rows {
            if row.isRecommendation {
                recommended.count += 1
                if row.isProven { recommended.proven += 1 }
            } else {
                required.count += 1
                if row.isProven { required.proven += 1 }
            }
            if isJSON {
                Console.print("\(row.json(of: item.id))")
            } else if verbosity > .quiet || !row.isProven {
                let name = paint(row.expectation.padded(to: width), row.isProven ? .success : .warning)
                let should = row.isRecommendation ? "(should) " : ""
                Console.print("\(name)  \(should)\(row.description(isComplete: verbosity == .verbose))")
            }
        }
        guard !isJSON, verbosity > .quiet else { return }
        for line in proof.lines(isComplete: verbosity == .verbose) { Console.print("\(line)") }
    }

    /// Takes the warnings of a case, which have been printed.
    func note(_ warnings: [Problem], of item: Case) {
        if warnings.contains(where: \.code.isLikelyMistake) { mistaken.insert(item.id) }
    }

    /// Complains of rules that do not act before the case ends with a correct client.
    func note(_ missed: [Proof.MissedRule], of item: Case) {
        for rule in missed {
            mistaken.insert(item.id)
            Console.warn("\(item.id): \(rule.complaint)")
        }
    }

    func addCaseWithoutExpectations(_ item: Case) { empty.append(item.id) }

    /// Prints the summary.
    func end() {
        if bar != nil { ProgressBar.remove() }
        let them = empty.count == 1 ? "it has" : "they have"
        let complaint =
            "nothing is proven of \(empty.joined(separator: ", ")): \(them) no expectations (write some as \"expect\")"
        if isJSON {
            if !empty.isEmpty { Console.warn("\(complaint)") }
            return
        }
        defer {
            if !empty.isEmpty { Console.print("\(complaint)") }
            if !mistaken.isEmpty {
                Console.print("not proven because of the warnings above: \(mistaken.sorted().joined(separator: ", "))")
            }
        }
        guard required.count + recommended.count > 0 else { return }
        let verb = required.count == 1 ? "is" : "are"
        let others =
            recommended.count > 0 ? ", and \(recommended.proven) of \(recommended.count.counted("recommendation"))" : ""
        Console.print(
            "\(required.proven) of \(required.count.counted("expectation")) \(verb) proven\(others): the built-in client passes, and a faulty client fails"
        )
    }

    /// Whether each case has expectations and no likely mistake, and all required expectations are proven.
    var isProven: Bool { empty.isEmpty && mistaken.isEmpty && required.proven == required.count }
}
