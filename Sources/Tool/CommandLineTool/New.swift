import Basics
import Cases
import CommandSupport
import Linux
import ScenarioLanguage

let newGrammar = CommandGrammar(
    "new", "Write a scenario, a suite or a client to start from",
    operands: [
        .required(
            "KIND", of: .words(Template.kinds),
            Template.kinds.map { kind in "\(kind): \(Template.named(kind, with: nil)?.about ?? "")" }.joined(
                separator: "\n")
        ),
        .optional("FILE", of: .file(.written), "File to write (default: standard output)"),
    ],
    options: [
        .option("--with", Template.libraries.joined(separator: "|"), "The library of a client (default: bumble)"),
        .flag("--force", "Replace FILE if it exists"),
    ])

/// The name of the schema that templates refer to.
private let schemaName = "scenario.schema.json"

/// Writes a template to a file or standard output; next to a scenario, the schema for editors, unless there is one.
func new(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let (kind, path) = (invocation.operands.first ?? "", invocation.operands.dropFirst().first)
    let library = try orFail { try invocation.choice("--with", of: Template.libraries) }
    guard Template.kinds.contains(kind) else {
        let hint = suggestion(for: kind, among: Template.kinds)
        throw Obstacle(
            .usage,
            "KIND must be one of \(Template.kinds.joined(separator: ", ")), not \(kind.abbreviated.quoted)\(hint)")
    }
    guard let template = Template.named(kind, with: library) else {
        throw Obstacle(.usage, "--with is for a client, not for a \(kind)")
    }
    guard let path, path != "-" else {
        Console.print(linesOf: String(template.text.dropLast()))  // its line feed
        return .success
    }
    try checkReplacement(of: path, invocation)
    try orFail(.environment) { try WholeFile(path).write(template.text) }
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let schema = (folder + [Substring(schemaName)]).joined(separator: "/")
    let needsSchema = template.library == nil && !exists(schema)
    if needsSchema { try orFail(.environment) { try WholeFile(schema).write(ScenarioSchema.json) } }
    Console.print("Wrote \(path)\(needsSchema ? ", and \(schema) for editors" : "")")
    let strap = (folder + ["strap.json"]).joined(separator: "/")
    for step in template.nextSteps(path.operandForShell, strap: strap) { Console.print("next: \(step)") }
    return .success
}

extension Template {
    /// The commands to go on with, after the template was written to a path; `strap` is the scenario that a suite names.
    fileprivate func nextSteps(_ path: String, strap: String) -> [String] {
        func scenario(_ file: String) -> [String] { exists(file) ? [] : ["lubdub new strap \(file.operandForShell)"] }
        let run = "lubdub run strap.json --client \("venv/bin/python \(path)".forShell)"
        switch library {
        case "bumble": return ["python3 -m venv venv && venv/bin/pip install bumble"] + scenario("strap.json") + [run]
        case "bleak":
            return ["python3 -m venv venv && venv/bin/pip install bleak"] + scenario("strap.json")
                + ["\(run) --system bluez"]
        default:
            return (kind == "suite" ? scenario(strap) : []) + ["lubdub validate \(path)", "lubdub run \(path)"]
        }
    }
}
