import Basics
import Cases
import CommandSupport
import Conformance
import Documents
import Linux
import ScenarioLanguage

let validateGrammar = CommandGrammar(
    "validate", "Report every problem in scenario files",
    operands: [
        .anyNumber(
            "FILE", of: .suite, "A scenario, a suite or a folder of them; one at least, unless a schema is printed")
    ],
    options: [
        .option(
            "--format", "FORMAT",
            "How to print problems: text (default), json (one object per line), or github\n(annotations of GitHub Actions)"
        ),
        .flag("--json", "As --format json"),
        .flag("--strict", "Exit with status 2 also after a warning of a likely mistake (LD0192 to LD0195)"),
        watchOption, colorOption,
        .flag("--schema", "Print the JSON Schema of scenarios, and validate nothing"),
        .flag("--report-schema", "Print the JSON Schema of JSON reports, and validate nothing"),
        .flag("--problem-schema", "Print the JSON Schema of the objects of --json, and validate nothing"),
        .option(
            "--schema-of", "NAME", of: .words(OutputSchemas.all.map(\.name)),
            "Print the JSON Schema of the lines that a command prints with --json, and validate nothing:\n"
                + "\(OutputSchemas.all.map(\.name).joined(separator: ", ")); check prints those of run"),
    ])

func validate(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let schemas = [
        ("--schema", ScenarioSchema.json), ("--report-schema", JSONReport.schema), ("--problem-schema", Problem.schema),
    ]
    if let (_, schema) = schemas.first(where: { invocation.has($0.0) }) {
        Console.print(linesOf: String(schema.dropLast()))  // its line feed
        return .success
    }
    let name = try orFail { try invocation.choice("--schema-of", of: OutputSchemas.all.map(\.name)) }
    if let (_, schema) = OutputSchemas.all.first(where: { $0.name == name }) {
        Console.print(linesOf: String(schema.dropLast()))  // its line feed
        return .success
    }
    let printer = try ProblemPrinter(invocation)
    guard !invocation.operands.isEmpty else { throw Obstacle(.usage, "validate requires a FILE") }
    if invocation.has("--watch") { return try watch(invocation) { WatchedFiles.ofDocuments(invocation.operands) } }
    let (paths, obstacles) = SuiteDiscovery.documents(invocation.operands, in: .real(invocation.operands))
    for obstacle in obstacles { printer.show(obstacle) }
    var isValid = obstacles.isEmpty
    let isStrict = invocation.has("--strict")
    let bar = ProgressBar()
    defer { if bar != nil { ProgressBar.remove() } }
    for (index, path) in paths.enumerated() {
        bar?.show(Double(index) / Double(paths.count), "\(index + 1) of \(paths.count): \(path)")
        let homes = invocation.operands + [folder(of: path)]
        let mayShow = { (other: String) in other == path || leads(other, into: homes) }
        let reading = ScenarioFile.read(path, variables: [:], mayShow: mayShow, load: contents)
        let (problems, warnings) = (reading.problems, reading.warnings)
        for problem in problems + warnings { printer.show(problem) }
        if problems.isEmpty {
            printer.showSummary("\(path): \(warnings.isEmpty ? "no problems" : warnings.total.counted("warning"))")
        }
        if !problems.isEmpty || isStrict && warnings.contains(where: \.code.isLikelyMistake) { isValid = false }
    }
    return isValid ? .success : .usage
}

/// Prints problems in the format that the command line asks for.
private struct ProblemPrinter {
    private enum Format: String, CaseIterable {
        case text, json, github
    }

    private let format: Format
    private let paint: Paint

    init(_ invocation: Invocation) throws(Obstacle) {
        let word = try orFail { try invocation.choice("--format", of: Format.allCases.map(\.rawValue)) }
        let format = word.flatMap(Format.init(rawValue:)) ?? .text
        if invocation.has("--json"), word != nil, format != .json {
            throw Obstacle(.usage, "--json and --format \(format.rawValue) exclude each other")
        }
        self.format = invocation.has("--json") ? .json : format
        paint = try Paint(invocation, for: Console.descriptor)
    }

    func show(_ problem: Problem) {
        switch format {
        case .json: Console.print("\(problem.json)")
        case .github: Console.print("\(problem.annotation)")
        case .text:
            let style: Paint.Style = problem.code.isWarning ? .warning : .heart
            let lines: [TerminalLine] = problem.rendered { part, text in
                switch part {
                case .summary: paint(text, .state)
                case .source: "\(text)"
                case .mark: paint(text, style)
                case .relatedMark: paint(text, .packet)
                case .help: "\(text)"
                }
            }
            for line in lines { Console.print(line) }
        }
    }

    /// Prints a line for people.
    func showSummary(_ line: String) { if format == .text { Console.print("\(line)") } }
}
