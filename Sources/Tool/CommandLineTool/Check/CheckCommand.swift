import Arguments
import Checks
import Conformance
import Spelling

let checkGrammar = Arguments.Grammar(
    "check", "be a central, and check a peripheral against the specifications: a scenario's, or a real one",
    operands: [
        .optional("SCENARIO", "a scenario file; its \"target\" is checked, or without one its first peripheral")
    ],
    options: [
        .option("--set", "NAME=VALUE", repeatable: true, "override a variable of the scenario"),
        .option("--seed", "N|random", "override the scenario's seed"),
        .option(
            "--radio", "RADIO",
            "virtual (default); or what a real peripheral is reached by:\nbluez[:hci0] for this machine's Bluetooth; or a controller:\nhci:tcp:HOST:PORT or hci:unix:PATH"
        ),
        .option(
            "--controller", "ADDRESS", repeatable: true,
            "offer a virtual controller to the host of a real peripheral: tcp:HOST:PORT or unix:PATH"),
        .option("--peer", "NAME|ADDRESS", "the real peripheral: its name, or C0:FF:EE:00:00:01[/public|/random]"),
        .flag("--list", "list the checks instead"),
        .option("--only", "GLOB", repeatable: true, "only checks with such an id; * crosses /"),
        .flag("--strict", "also check what is only recommended (\"should\"), and robustness"),
        .option("--events", "FILE|-", "write the event log of the one case that --only names, of a scenario"),
        .option(
            "--trace", "FILE",
            "write every HCI packet as btsnoop; of a scenario, of one case that --only names;\nwith bluez there are none"
        ),
        ReportFiles.option,
        .flag("--quiet", "print neither what passes nor what is skipped"),
        colorOption,
    ])

func check(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let checks = try wanted(invocation)
    if invocation.has("--list") {
        let width = checks.map(\.id.count).max() ?? 0
        for check in checks {
            Console.print("\(check.id.padded(to: width))  \(check.title) (\(check.requirement))")
        }
        return .success
    }
    if let door = try RealDoor(invocation) { return try door.examine(checks, invocation) }
    if invocation.has("--peer") {
        throw CommandFailure(
            .usage,
            "lubdub: --peer is a real peripheral, so --radio bluez, --radio hci:... or --controller has to say how it is reached"
        )
    }
    guard let path = invocation.operands.first else {
        throw CommandFailure(.usage, "lubdub: check needs a SCENARIO, or --radio and --peer for a real peripheral")
    }
    let played = try Played(path, invocation)
    if (played.events ?? played.trace) != nil, checks.count > 1 {
        throw CommandFailure(
            .usage,
            "lubdub: each case has a world of its own, and --events and --trace hold one; name it with --only, "
                + "for \(checks.count) are like this")
    }
    return try Examination(played, checks, invocation).play()
}

/// The checks that the command line names.
private func wanted(_ invocation: Invocation) throws(CommandFailure) -> [Check] {
    let only = invocation.texts("--only")
    let checks = Selection(only: only.map { Glob($0) }, nil).chosen(of: Check.all)
    guard checks.isEmpty, let last = only.last else { return checks }
    throw CommandFailure(
        .environment,
        "lubdub: no check is like \(only.map(\.quoted).joined(separator: " or "))\(suggestion(for: last, among: Check.all.map(\.id))); see --list"
    )
}
