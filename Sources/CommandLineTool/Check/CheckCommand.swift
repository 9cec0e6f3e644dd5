import Arguments
import Checks
import EventLog
import Scenarios
import Simulation
import Spelling
import VirtualWorld

let checkGrammar = Arguments.Grammar(
    "check", "be a central, and check a scenario's peripheral against the specifications, in virtual time",
    operands: [
        .optional("SCENARIO", "a scenario file; its \"target\" is checked, or without one its first peripheral")
    ],
    options: [
        .option("--set", "NAME=VALUE", repeatable: true, "override a variable of the scenario"),
        .option("--seed", "N|random", "override the scenario's seed"),
        .flag("--list", "list the checks instead"),
        .option("--only", "GLOB", "only checks with such an id; * crosses /"),
        .flag("--strict", "also check what is only recommended (\"should\"), and robustness"),
        .option("--radio", "RADIO", "virtual; others are not checked yet"),
        .option("--events", "FILE|-", "write the event log of the one case that --only names"),
        .option("--trace", "FILE", "write every HCI packet of that case as btsnoop"),
        ReportFiles.option,
        .flag("--quiet", "print neither what passes nor what is skipped"),
        colorOption,
    ])

func check(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let checks = try wanted(invocation)
    if invocation.has("--list") {
        let width = checks.map(\.id.count).max() ?? 0
        for check in checks {
            Console.print("\(check.id.filled(to: width))  \(check.title) (\(check.requirement))")
        }
        return .success
    }
    if let radio = invocation.text("--radio"), radio != "virtual" {
        throw CommandFailure(
            .usage,
            "lubdub: check does not reach \(radio.quoted) yet, only scenarios on the virtual radio; leave out --radio")
    }
    guard let path = invocation.operands.first else { throw CommandFailure(.usage, "lubdub: check needs a SCENARIO") }
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
    guard let only = invocation.text("--only") else { return Check.all }
    let checks = Check.all.filter { Glob(only).matches($0.id) }
    guard checks.isEmpty else { return checks }
    throw CommandFailure(
        .environment,
        "lubdub: no check is like \(only.quoted)\(suggestion(for: only, among: Check.all.map(\.id))); see --list")
}
