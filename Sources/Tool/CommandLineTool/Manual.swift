import Basics
import CommandSupport
import Screens

let manualGrammar = CommandGrammar(
    "manual", "Print a manual page, for man -l",
    operands: [.optional("COMMAND", "The command of the page (default: the page of lubdub)")],
    options: [
        .option("--date", "YYYY-MM-DD", "The day in the footer (default: none)"),
        .flag("--list", "Print the commands that have a page, one per line"),
    ])

let completionsGrammar = CommandGrammar(
    "completions", "Print the script with which a shell completes the words of lubdub's command line",
    operands: [.required("SHELL", of: .words(Shell.allCases.map(\.rawValue)), "bash, fish or zsh")])

func manual(_ invocation: Invocation, of program: Program) throws(Obstacle) -> ExitCode {
    if invocation.has("--list") {
        for command in program.commandNames { Console.print("\(command)") }
        return .success
    }
    let page: ManualPage
    if let command = invocation.operands.first {
        let grammar = try orFail { try program.grammar(of: command) }
        page = ManualPage(of: grammar, in: program, [exitStatuses])
    } else {
        page = ManualPage(of: program, manualSections)
    }
    let date = try orFail {
        try invocation.value("--date", as: "a day, YYYY-MM-DD") { CalendarDay($0) == nil ? nil : $0 }
    }
    let text = page.text(version: "lubdub \(version)", date: date ?? "")
    Console.print(linesOf: String(text.dropLast()))  // its line feed
    return .success
}

func completions(_ invocation: Invocation, of program: Program) throws(Obstacle) -> ExitCode {
    let word = invocation.operands.first ?? ""
    guard let shell = Shell(rawValue: word) else {
        let known = Shell.allCases.map(\.rawValue).joined(separator: ", ")
        throw Obstacle(.usage, "SHELL must be one of \(known), not \(word.quoted)")
    }
    let script = program.completions(for: shell, names: "lubdub list --null")
    Console.print(linesOf: String(script.dropLast()))  // its line feed
    return .success
}

/// The sections about the program as a whole.
let manualSections = [exitStatuses, variables, files, licence]

let exitStatusRows = [
    ("0", "Success"), ("1", "A verdict \"fail\" or \"inconclusive\", or a refused request of control"),
    ("2", "The command line or a file is invalid"),
    ("3", "A prerequisite is missing: the message has the fix; or nothing could run"),
    ("4", "A verdict \"error\": no client to run, or a suite's file is invalid; or an internal error"),
    ("128+n", "Ended by signal n"),
]

private let exitStatuses = ManualPage.Section("EXIT STATUS", exitStatusRows)

private let variables = ManualPage.Section(
    "ENVIRONMENT",
    [
        (ShareFolder.variable, "The folder with scenarios, schema and documentation, instead of the installed one"),
        (
            "LUBDUB_CONTROLLER",
            "Set for the command of run --client and check --peripheral: the address of its controller"
        ),
        ("LUBDUB_SHARD_INDEX", "The part of run --shard auto, from 0"),
        ("LUBDUB_SHARD_COUNT", "The number of parts of run --shard auto"),
        ("NO_COLOR", "If it is set, output has no colours"),
    ])

private let licence = ManualPage.Section(
    "LICENSE",
    text: "Apache License 2.0: see PREFIX/share/lubdub/LICENSE, or https://www.apache.org/licenses/LICENSE-2.0")

private let files = ManualPage.Section(
    "FILES",
    [
        (
            "PREFIX/share/lubdub/scenarios",
            "The installed scenarios; see lubdub list. PREFIX is /usr for the Debian package"
        ),
        ("PREFIX/share/lubdub/schema", "The JSON Schemas of scenarios, of reports, and of the lines of --json"),
        ("PREFIX/share/lubdub/Documentation", "The documentation; README.md lists its pages"),
        ("PREFIX/share/lubdub/python", "A pytest plugin, for pip install; see Documentation/continuous-integration.md"),
    ])
