import Arguments
import CommandSupport
import ScenarioRuns
import Terminal

/// Options of every command that plays something.
let playingOptions: [Arguments.Grammar.Option] = [
    .option("--seed", "N|random", "override the scenario's seed"),
    .option("--for", "DURATION", "stop after so long, as in \"10 s\""),
    .option("--events", "FILE|-", "write the event log, a JSON object a line; with - plain lines go to standard error"),
    .option("--trace", "FILE", "write every HCI packet as btsnoop, for Wireshark and btmon"),
    .option("--keep", "DIR", "make a folder for this run: scenario, seed, event log and trace"),
    colorOption,
]

/// Options of every command that plays a scenario from a file.
let scenarioOptions =
    [Arguments.Grammar.Option.option("--set", "NAME=VALUE", repeatable: true, "override a variable of the scenario")]
    + playingOptions

extension Speed {
    static func option(_ standard: String) -> Arguments.Grammar.Option {
        .option(
            "--speed", "X|max",
            "play X times as fast as the clock on the wall, or as fast as possible (default \(standard))")
    }
}
