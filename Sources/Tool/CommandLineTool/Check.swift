import Arguments
import Benchmarks
import CheckCatalogue
import Checks
import ClientTesting
import CommandSupport
import Conformance
import Drivers
import PeripheralTesting
import ScenarioRuns
import TextFormatting

let checkGrammar = Arguments.Grammar(
    "check", "Act as a central, and test a simulated or real peripheral for conformance",
    operands: [
        .optional(
            "SCENARIO", of: .scenario,
            "A scenario file, or the name of an installed scenario: check its \"target\", or without one its first\n"
                + "peripheral")
    ],
    options: [
        .option("--set", "NAME=VALUE", repeatable: true, "Give a variable of the scenario another value"),
        .option("--seed", "N|random", "Seed of the random numbers (default: the scenario's)"),
        .option(
            "--radio", "RADIO",
            "Radio to the peripheral: virtual (default); bluez[:hci0]: this machine's Bluetooth;\nhci:tcp:HOST:PORT or hci:unix:PATH: an external controller"
        ),
        .option(
            "--controller", "ADDRESS", repeatable: true,
            "Offer a virtual controller at tcp:HOST:PORT or unix:PATH to the peripheral's host stack,\ninstead of --radio"
        ),
        .option("--peer", "NAME|ADDRESS", "Real peripheral to check: its name, or C0:FF:EE:00:00:01[/public|/random]"),
        ClientSecurity.passkeyOption, ClientSecurity.bondsOption,
        .option(
            "--for", "DURATION",
            "How long the check of a real peripheral may take in all; the checks that did not run by then are\ninconclusive (default: no limit)"
        ),
        .flag("--list", "List the checks, and run none"), CaseLines.option,
        .option("--only", "GLOB", repeatable: true, "Run only checks whose id matches; * also matches /"),
        .flag("--strict", "Also run checks of recommendations (\"should\") and of robustness"),
        .option(
            "--events", "FILE|-", "Write the event log (only for a scenario, and only if --only selects a single check)"
        ),
        .option(
            "--trace", "FILE",
            "Write every HCI packet as btsnoop (not with bluez; for a scenario, only if --only selects a\nsingle check)"
        ),
        ReportFiles.option,
        .option(
            "--baseline", "FILE|STACK",
            "Accept known fails: those of a JSON report, of a list like Documentation/known-deviations.json,\nor of a stack in that list"
        ),
        .flag("--quiet", "Print only the summary and what did not pass"),
        .flag("--verbose", "Print each skipped check, and its reason"),
        colorOption,
    ])

func check(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let checks = try selectedChecks(invocation)
    if invocation.has("--list") {
        let width = checks.map(\.id.count).max() ?? 0
        for check in checks {
            if invocation.has("--json") {
                Console.print("\(check.json)")
                continue
            }
            Console.print("\(check.id.padded(to: width))  \(check.title) (\(check.requirement))")
        }
        return .success
    }
    if let endpoint = try PeripheralEndpoint(invocation) { return try endpoint.test(checks, invocation) }
    if let option = ["--peer", "--passkey", "--bonds", "--for"].first(where: invocation.has) {
        throw CommandFailure(
            .usage,
            "\(option) requires a radio to the peripheral: --radio bluez, --radio hci:ADDRESS or --controller ADDRESS")
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
    var test = try SimulatedPeripheralTest(configuration, checks, invocation)
    return try test.run()
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

extension Check {
    /// For `--list --json`.
    fileprivate var json: String {
        "{\"id\": \(id.quoted), \"title\": \(title.quoted), \"requirement\": \(requirement.quoted), "
            + "\"weight\": \(weight.rawValue.quoted)}"
    }
}
