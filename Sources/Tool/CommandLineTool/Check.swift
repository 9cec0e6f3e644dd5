import Basics
import Cases
import CheckCatalogue
import Checks
import CommandSupport
import Conformance
import Drivers

let checkGrammar = CommandGrammar(
    "check", "Act as a central, and test a simulated or real peripheral for conformance",
    operands: [
        .optional(
            "SCENARIO", of: .scenario,
            "A scenario file, or the name of an installed scenario: check its \"target\", or without one its first\n"
                + "peripheral")
    ],
    groups: [
        .init(
            "What to check",
            [
                .option(
                    "--peer", "NAME|ADDRESS", "Real peripheral: its name, or C0:FF:EE:00:00:01[/public|/random]"),
                .option(
                    "--peripheral", "CMD",
                    "Start a program, check its peripheral, and end it: /bin/sh runs CMD, with the address of a controller\nin $LUBDUB_CONTROLLER, or with --system the bus; without --peer, the first peripheral is checked"
                ), variableOption, seedOption,
            ]),
        .init(
            "Radio, controller and pairing",
            [
                .option(
                    "--radio", "RADIO",
                    "Radio to the peripheral: virtual (default), bluez, hci:0, hci:tcp:HOST:PORT, ...; see\n\"lubdub help radios\""
                ),
                .option(
                    "--controller", "ADDRESS", of: .address, repeatable: true,
                    "Instead of --radio: offer a virtual controller to the peripheral's host stack, at tcp:HOST:PORT\nor unix:PATH; see \"lubdub help radios\""
                ), ClientSecurity.passkeyOption, ClientSecurity.bondsOption,
            ] + PlayedSystem.options("Instead of --radio: ")),
        .init(
            "Which checks",
            [
                .option("--only", "GLOB", repeatable: true, "Run only checks whose id matches; * also matches /"),
                .flag("--strict", "Also run checks of recommendations (\"should\") and of robustness"),
                .option(
                    "--baseline", "FILE|STACK", of: .file(.read),
                    "Accept known fails: those of a JSON report, of a list like Documentation/known-deviations.json,\nor of a stack in that list; --report must name another file"
                ),
                .option(
                    "--for", "DURATION",
                    "How long the check of a real peripheral may take in all; the checks that did not run by then are\ninconclusive (default: no limit)"
                ), .flag("--list", "List the checks, and run none"),
            ]),
        .init("Output", checkOutputOptions),
    ])

private let checkOutputOptions: [CommandGrammar.Option] = [
    ReportFiles.option, CaseLines.option,
    .option(
        "--events", "FILE|-", of: .file(.written),
        "Write the event log (only for a scenario, and only if --only selects a single check)"),
    .option(
        "--trace", "FILE", of: .file(.written),
        "Write every HCI packet as btsnoop (not with bluez; for a scenario, only if --only selects a\nsingle check)"
    ),
    .flag("--quiet", "Print only the summary and what did not pass"),
    .flag("--verbose", "Print each skipped check, and its reason"),
    colorOption,
]

func check(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
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
        throw Obstacle(
            .usage,
            "\(option) requires a radio to the peripheral: --radio bluez, --radio hci:ADDRESS or --controller ADDRESS")
    }
    guard let path = invocation.operands.first else {
        throw Obstacle(.usage, "check needs a SCENARIO, or for a real peripheral --radio and --peer")
    }
    let plan = try RunPlan(path, invocation)
    if (plan.events ?? plan.trace) != nil, checks.count > 1 {
        throw Obstacle(
            .usage,
            "--events and --trace record a single check, but \(checks.count) are selected: select one with --only")
    }
    var test = try SimulatedPeripheralTest(plan, checks, invocation)
    return try test.run()
}

/// The checks that `--only` selects.
private func selectedChecks(_ invocation: Invocation) throws(Obstacle) -> [Check] {
    let only = invocation.texts("--only")
    let checks = Selection(only: only.map { Glob($0) }, nil).chosen(of: Check.all)
    guard checks.isEmpty, let last = only.last else { return checks }
    throw Obstacle(
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
