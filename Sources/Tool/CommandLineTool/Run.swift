import Arguments
import Benchmarks
import ClientTesting
import CommandSupport
import Conformance
import Drivers
import ScenarioRuns

let runGrammar = Arguments.Grammar(
    "run", "Run scenarios with the built-in client or yours, and judge the client",
    operands: [
        .repeated(
            "SUITE",
            "A scenario file, a suite file (a list of scenarios), or a folder of scenarios")
    ],
    options: scenarioOptions(until: "the \"limit\" of the scenario", recording: " of a single case") + [
        Speed.option("max"),
        .option(
            "--client", "CMD",
            "Test your client in real time: /bin/sh runs CMD, with the address of a controller in $LUBDUB_CONTROLLER.\n"
                + "Your client prints one JSON object per line: see Documentation/testing-your-client.md"),
        .flag(
            "--ask",
            "Test an app interactively: print instructions, ask what the app shows, and read answers from\n"
                + "standard input"),
        DeviceRadios.option("With --client or --ask: radio"),
        .option(
            "--said", "ADDRESS",
            "With --client: also listen at tcp:HOST:PORT or unix:PATH for the client's lines, for example\nfrom a phone"
        ),
        .option(
            "--controller", "ADDRESS",
            "With --client or --ask: offer the controller at tcp:HOST:PORT, at unix:PATH, or as vhci, a virtual adapter\n"
                + "of this machine's kernel, which needs root. Default: tcp:127.0.0.1 with a free port"),
        .flag("--strict", "Also judge recommendations (\"should\")"),
        .option(
            "--only", "GLOB", repeatable: true,
            "Run only cases whose id matches; * also matches /. --list prints the ids"
        ),
        .option(
            "--shard", "I/N|auto",
            "Split the cases into N parts, and run part I (1 to N); with auto or auto/N, the part that\nKubernetes, Slurm, GNU parallel or LUBDUB_SHARD_INDEX assign to this job"
        ),
        .option("--seeds", "A..B", "Run each case once with each seed from A to B"),
        .option("--repeat", "N", "Run each case N times"),
        .flag("--until-fail", "End the run after the first case that does not pass"),
        .option(
            "--last-failed", "REPORT.json",
            "Run only the cases that did not pass in that JSON report, with the same seeds"),
        .option("--jobs", "N", "Run up to N cases in parallel (default 1)"),
        .flag("--list", "Print the ids of the cases, one per line, and run none"), ReportFiles.option,
        .flag("--quiet", "Do not print the client's lines; with several cases, print only those that do not pass"),
        .flag("--verbose", "Also print events and packets, on standard error"),
    ])

func run(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    try checkClientOptions(invocation)
    let selection = try CaseSelection(invocation)
    if invocation.has("--list") {
        for item in selection.cases { Console.print("\(item.id)") }
        return .success
    }
    guard !selection.cases.isEmpty else {
        Console.print("Nothing to run: no selected case failed in \(invocation.text("--last-failed") ?? "")")
        try ReportFiles(invocation).write(Report(version: version))
        return .success
    }
    guard invocation.operands.count == 1, !selection.isCampaign, let first = selection.cases.first, first.isOperand
    else { return try runSuite(selection, invocation) }
    return try runSingleCase(first, invocation)
}

/// Throws when an option needs another, or excludes it.
private func checkClientOptions(_ invocation: Invocation) throws(CommandFailure) {
    if invocation.has("--ask"), invocation.has("--client") {
        throw CommandFailure(.usage, "--ask and --client are mutually exclusive")
    }
    if invocation.has("--said"), !invocation.has("--client") {
        throw CommandFailure(.usage, "--said requires --client")
    }
    for name in ["--controller", "--radio"]
    where invocation.has(name) && !invocation.has("--client") && !invocation.has("--ask") {
        throw CommandFailure(.usage, "\(name) requires --client or --ask")
    }
}
