import Basics
import Cases
import Clients
import CommandSupport
import Conformance
import Drivers
import Glibc
import Linux

let runGrammar = CommandGrammar(
    "run", "Run scenarios with the built-in client or yours, and judge the client",
    operands: [
        .repeated(
            "SUITE", of: .suite,
            "A scenario file, a suite file (a list of scenarios), a folder of scenarios, or the name of one that is\n"
                + "installed: see lubdub list")
    ],
    groups: [
        .init(
            "What to run",
            scenarioOptions(until: "the \"limit\" of the scenario") + [
                .option(
                    "--speed", "X|max|auto",
                    "Run at X times real time, or as fast as possible (default max).\n"
                        + "With --client: 1 (the default) is real time; others are virtual time for your client, too; auto\n"
                        + "is max if it can follow, else 1: see Documentation/virtual-time.md"),
                .option(
                    "--compute", "TIME|A..B",
                    "With --client in virtual time: what your client does from one wait to the next takes this long,\n"
                        + "such as 5ms, or 1ms..20ms (from the seed)"),
                watchOption,
            ]),
        .init("Your client", clientOptions),
        .init(
            "Radio and controller",
            [
                DeviceRadios.option("With --client or --ask: radio"),
                .option(
                    "--controller", "ADDRESS", of: .address, repeatable: true,
                    "With --client or --ask: offer a virtual controller here (default: tcp:127.0.0.1 with a free port);\n"
                        + "see \"lubdub help radios\". Of several, the first is the client's"),
            ] + PlayedSystem.options("With --client: ")),
        .init("Which cases", caseOptions),
        .init(
            "Output",
            [ReportFiles.option, CaseLines.option] + recordingOptions(" of a single case") + [
                .flag(
                    "--quiet",
                    "Do not print the client's lines; with several cases, print only those that do not pass"),
                .flag("--verbose", "Also print events and packets, on standard error"), colorOption,
            ]),
    ])

private let clientOptions: [CommandGrammar.Option] = [
    .option(
        "--client", "CMD",
        "Test your client: /bin/sh runs CMD, with the address of a controller in $LUBDUB_CONTROLLER.\n"
            + "Your client prints one JSON object per line: see Documentation/testing-your-client.md"),
    .flag(
        "--ask",
        "Test an app interactively: print instructions, ask what the app shows, and read answers from\n"
            + "standard input"),
    .option(
        "--lines", "PATTERN", repeatable: true,
        "With --client or --ask: your client prints text; find values in it by this regular expression, whose\n"
            + "named groups are keys, such as 'HR: (?<bpm>[0-9]+)' (repeatable)"),
    .option(
        "--said", "ADDRESS", of: .address,
        "With --client: also listen at tcp:HOST:PORT or unix:PATH for the client's lines, for example\nfrom a phone"
    ),
    .flag(
        "--bpm-only",
        "With --client: your client shows the heart rate in beats per minute, and nothing else; skip\n"
            + "expectations of other values"),
    .option(
        "--faulty", "NAME", of: .words(FaultyClient.all.map(\.name)),
        "Give the built-in client this fault, to see which expectations fail it; \"prove --list\" prints the faults"
    ),
    .flag("--strict", "Also judge recommendations (\"should\")"),
]

private let caseOptions: [CommandGrammar.Option] = [
    .option(
        "--only", "GLOB", repeatable: true, "Run only cases whose id matches; * also matches /. --list prints the ids"
    ),
    .option(
        "--shard", "I/N|auto",
        "Split the cases into N parts, and run part I (1 to N); with auto or auto/N, the part that\nKubernetes, Slurm, GNU parallel or LUBDUB_SHARD_INDEX assign to this job"
    ),
    .option("--seeds", "A..B", "Run each case once with each seed from A to B"),
    .option("--repeat", "N", "Run each case N times"),
    .flag("--until-fail", "End the run after the first case that does not pass"),
    .option(
        "--last-failed", "REPORT.json", of: .file(.read),
        "Run only the cases that did not pass in that JSON report, with the same seeds; --report must name\nanother file"
    ),
    .option("--jobs", "N", "Run up to N cases in parallel (default 1)"),
    .flag("--list", "Print the ids of the cases, one per line, and run none"),
]

func run(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    try checkClientOptions(invocation)
    if invocation.has("--watch") {
        let variables = try RunPlan.variables(invocation.texts("--set"))
        return try watch(invocation) {
            WatchedFiles.ofCases(invocation.operands, variables: variables) + invocation.texts("--last-failed")
        }
    }
    let selection = try CaseSelection(invocation)
    if invocation.has("--list") {
        for item in selection.cases { Console.print("\(invocation.has("--json") ? item.json : item.id)") }
        return .success
    }
    guard !selection.cases.isEmpty else {
        let report = Report(version: version)
        var uses = try FileUses(invocation)
        try uses.keep(invocation, folders: [])
        if invocation.has("--json") {
            CaseLines.showSummary(report)
        } else {
            Console.print("Nothing to run: no selected case failed in \(invocation.text("--last-failed") ?? "")")
        }
        try ReportFiles(invocation).write(report)
        return .success
    }
    guard invocation.operands.count == 1, !selection.isCampaign, let first = selection.cases.first, first.isOperand
    else { return try runSuite(selection, invocation) }
    return try runSingleCase(first, invocation)
}

/// Whether a path is more likely a program that belongs to a client's command than a scenario.
private func isProgram(_ path: String) -> Bool {
    guard !path.hasSuffix(".json"), contents(of: path, atMost: 0) != nil else { return false }
    return unsafe access(path, X_OK) == 0 || [".py", ".sh", ".js", ".rb"].contains(where: path.hasSuffix)
}

/// Throws when an option needs another, or excludes it.
private func checkClientOptions(_ invocation: Invocation) throws(Obstacle) {
    if let client = invocation.text("--client"), let program = invocation.operands.first(where: isProgram) {
        throw Obstacle(
            .usage,
            "\(program.quoted) is a program, not a scenario: quote the client's command, as in --client "
                + "\(client) \(program.operandForShell)".forShell)
    }
    if invocation.has("--ask"), invocation.has("--client") {
        throw Obstacle(.usage, "--ask and --client are mutually exclusive")
    }
    for name in ["--client", "--ask"] where invocation.has(name) && invocation.has("--faulty") {
        throw Obstacle(.usage, "--faulty and \(name) are mutually exclusive: the fault is the built-in client's")
    }
    for (name, isTaken) in [("--ask", invocation.has("--ask")), ("--events -", invocation.text("--events") == "-")]
    where isTaken && invocation.has("--json") {
        throw Obstacle(.usage, "--json cannot be combined with \(name), which uses standard output")
    }
    for (name, why) in [("--ask", "reads answers"), ("--keep", "needs a new folder for each run")]
    where invocation.has(name) && invocation.has("--watch") {
        throw Obstacle(.usage, "--watch cannot be combined with \(name), which \(why)")
    }
    for name in PlayedSystem.settings where invocation.has(name) && !invocation.has("--system") {
        _ = try PlayedSystem(invocation)
    }
    for name in ["--said", "--bpm-only", "--system", "--compute"]
    where invocation.has(name) && !invocation.has("--client") {
        throw Obstacle(.usage, "\(name) requires --client")
    }
    if invocation.has("--lines"), invocation.has("--bpm-only") {
        throw Obstacle(
            .usage, "--lines and --bpm-only are mutually exclusive: the groups of --lines are the values that it shows")
    }
    let hasClient = invocation.has("--client") || invocation.has("--ask")
    for (name, values) in [
        ("--lines", invocation.texts("--lines")), ("--controller", invocation.texts("--controller")),
        ("--radio", DeviceRadios.named(invocation)),
    ]
    where !hasClient && !values.isEmpty {
        throw Obstacle(.usage, "\(name) requires --client or --ask")
    }
}

extension Case {
    /// For `--list --json`.
    fileprivate var json: String {
        let members = [
            ("id", id.quoted), ("case", caseID.quoted), ("path", path.quoted), ("seed", seed.map { "\($0)" } ?? "null"),
            ("run", run?.number.map { "\($0)" } ?? "null"),
        ]
        return jsonObject(members)
    }
}
