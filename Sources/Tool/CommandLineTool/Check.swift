import Arguments
import Benchmarks
import CheckCatalogue
import Checks
import ClientTesting
import CommandSupport
import Conformance
import PeripheralTesting
import ScenarioRuns
import Spelling

let checkGrammar = Arguments.Grammar(
    "check", "act as a central, and test a simulated or real peripheral for conformance",
    operands: [
        .optional("SCENARIO", "scenario file; checks its \"target\", by default its first peripheral")
    ],
    options: [
        .option("--set", "NAME=VALUE", repeatable: true, "override a variable of the scenario"),
        .option("--seed", "N|random", "override the scenario's seed"),
        .option(
            "--radio", "RADIO",
            "radio to the peripheral: virtual (default); bluez[:hci0] for this machine's Bluetooth;\nor hci:tcp:HOST:PORT or hci:unix:PATH for another controller"
        ),
        .option(
            "--controller", "ADDRESS", repeatable: true,
            "offer a virtual controller to the host of a real peripheral: tcp:HOST:PORT or unix:PATH"),
        .option("--peer", "NAME|ADDRESS", "real peripheral to check: its name, or C0:FF:EE:00:00:01[/public|/random]"),
        .flag("--list", "list the checks, and do not run them"),
        .option("--only", "GLOB", repeatable: true, "run only checks with a matching id; * also matches /"),
        .flag("--strict", "also run checks of recommendations (\"should\") and of robustness"),
        .option("--events", "FILE|-", "write the event log (scenarios only; needs --only to select one check)"),
        .option(
            "--trace", "FILE",
            "write every HCI packet as btsnoop (not with bluez; for a scenario, needs --only to select\none check)"
        ),
        ReportFiles.option,
        .flag("--quiet", "show only failures: hide passes and skips"),
        colorOption,
    ])

func check(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let checks = try selectedChecks(invocation)
    if invocation.has("--list") {
        let width = checks.map(\.id.count).max() ?? 0
        for check in checks {
            Console.print("\(check.id.padded(to: width))  \(check.title) (\(check.requirement))")
        }
        return .success
    }
    if let endpoint = try PeripheralEndpoint(invocation) { return try endpoint.test(checks, invocation) }
    if invocation.has("--peer") {
        throw CommandFailure(
            .usage,
            "--peer requires a radio to the peripheral: --radio bluez, --radio hci:ADDRESS or --controller ADDRESS")
    }
    guard let path = invocation.operands.first else {
        throw CommandFailure(.usage, "check needs a SCENARIO, or for a real peripheral --radio and --peer")
    }
    let configuration = try RunConfiguration(path, invocation)
    if (configuration.events ?? configuration.trace) != nil, checks.count > 1 {
        throw CommandFailure(
            .usage,
            "--events and --trace record a single check, but \(checks.count) are selected: select one with --only")
    }
    return try SimulatedPeripheralTest(configuration, checks, invocation).run()
}

/// The checks that `--only` selects.
private func selectedChecks(_ invocation: Invocation) throws(CommandFailure) -> [Check] {
    let only = invocation.texts("--only")
    let checks = Selection(only: only.map { Glob($0) }, nil).chosen(of: Check.all)
    guard checks.isEmpty, let last = only.last else { return checks }
    throw CommandFailure(
        .environment,
        "no check matches \(only.map(\.quoted).joined(separator: " or "))\(suggestion(for: last, among: Check.all.map(\.id))); list all with --list"
    )
}
