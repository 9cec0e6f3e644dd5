import Arguments
import CommandSupport
import ScenarioRuns

/// Options of every command that plays something.
let playingOptions: [Arguments.Grammar.Option] = [
    .option("--seed", "N|random", "Override the scenario's seed"),
    .option("--for", "DURATION", "Stop after this long, for example 10s (default: the scenario's limit)"),
    .option(
        "--events", "FILE|-",
        "Write the event log, one JSON object per line; with -, other output goes to standard error"),
    .option("--trace", "FILE", "Write every HCI packet as btsnoop, for Wireshark and btmon"),
    .option("--keep", "DIR", "Create a folder with the run's scenario, seed, event log and trace"),
    colorOption,
]

/// Options of every command that plays a scenario from a file.
let scenarioOptions =
    [Arguments.Grammar.Option.option("--set", "NAME=VALUE", repeatable: true, "Override a variable of the scenario")]
    + playingOptions

extension Speed {
    static func option(_ standard: String) -> Arguments.Grammar.Option {
        .option("--speed", "X|max", "Run at X times real time, or as fast as possible (default \(standard))")
    }
}
