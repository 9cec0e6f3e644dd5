import Cases
import CommandSupport

/// Options of every command that plays something, until a limit by default.
func playingOptions(until limit: String) -> [CommandGrammar.Option] {
    [
        seedOption,
        .option("--for", "DURATION", "Stop after this long, for example 10s (default: \(limit))"),
    ]
}

/// Options of every command that plays a scenario from a file.
func scenarioOptions(until limit: String) -> [CommandGrammar.Option] {
    [variableOption] + playingOptions(until: limit)
}

/// Options of every command that plays something: the files that record `cases`.
func recordingOptions(_ cases: String = "") -> [CommandGrammar.Option] {
    [
        .option(
            "--events", "FILE|-", of: .file(.written),
            "Write the event log\(cases), one JSON object per line; with -, other output goes to standard error"),
        .option(
            "--trace", "FILE", of: .file(.written),
            "Write every HCI packet\(cases) as btsnoop, for Wireshark and btmon"),
        .option("--keep", "DIR", of: .folder, "Save scenario, seed, event log and trace in the new folder DIR"),
    ]
}

let seedOption = CommandGrammar.Option.option(
    "--seed", "N|random", "Seed of the random numbers (default: the scenario's)")
let variableOption = CommandGrammar.Option.option(
    "--set", "NAME=VALUE", repeatable: true, "Give a variable of the scenario another value")

extension Speed {
    static func option(_ standard: String, _ more: String = "") -> CommandGrammar.Option {
        .option("--speed", "X|max", "Run at X times real time, or as fast as possible (default \(standard))\(more)")
    }
}
