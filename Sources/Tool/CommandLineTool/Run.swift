import Arguments
import Benchmarks
import ClientTesting
import CommandSupport
import Conformance
import Drivers
import ScenarioRuns

let runGrammar = Arguments.Grammar(
    "run", "Play scenarios to the built-in client or to yours, and judge their expectations",
    operands: [
        .repeated(
            "SUITE",
            "a scenario file, a suite file, or a folder of scenarios\n"
                + "the client connects to the scenario's \"target\", or else to the strap with the strongest signal")
    ],
    options: scenarioOptions + [
        Speed.option("max"),
        .option(
            "--client", "CMD",
            "Test your client in real time: /bin/sh runs CMD, LUBDUB_CONTROLLER is the address of its controller,\n"
                + "and it prints one JSON object per line: Documentation/testing-your-client.md"),
        .flag(
            "--ask",
            "Test an app interactively: print instructions, ask what the app shows, and read answers from\n"
                + "standard input"),
        DeviceRadios.option,
        .option(
            "--said", "ADDRESS",
            "With --client: also read its lines from a socket, tcp:HOST:PORT or unix:PATH, for example from a test on\n"
                + "a phone"),
        .option(
            "--controller", "PLACE",
            "With --client or --ask: offer the controller at tcp:HOST:PORT, at unix:PATH, or as vhci, an interface of\n"
                + "this machine's kernel (root only) (default tcp:127.0.0.1 with a free port)"),
        .flag("--strict", "Also judge recommendations (\"should\")"),
        .option(
            "--only", "GLOB", repeatable: true,
            "Run only cases with a matching id: the file's path without .json, relative to its folder or suite"),
        .option("--shard", "I/N", "Run only shard I of N"),
        .option("--jobs", "N", "Run up to N cases in parallel (default 1)"),
        .flag("--list", "Print the ids of the cases, one per line, and run none"), ReportFiles.option,
        .flag("--quiet", "Do not print the client's lines; of several cases, print only those that do not pass"),
        .flag("--verbose", "Also print events and packets, on standard error"),
    ])

func run(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    try checkClientOptions(invocation)
    let cases = try discoverCases(invocation.operands)
    let selected = try selectCases(from: cases, invocation)
    if invocation.has("--list") {
        for item in selected { Console.print(item.id) }
        return .success
    }
    guard invocation.operands.count == 1, let first = cases.first, first.isOperand else {
        return try runSuite(selected, invocation)
    }
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
