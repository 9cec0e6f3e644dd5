import Conformance
import Scenarios

/// The scenarios of the repository that judge clients, and what they require.
struct ClientCases {
    /// An expectation; its id has its scenario's path before it: `formats/edges shows`.
    struct Item {
        let id: String
        let requirement: String?
    }

    let expectations: [Item]

    static let folders =
        ["finding", "heart_rate", "thermometer", "streams"].map { "collector/\($0)" } + [
            "clients", "formats", "errors", "recovery",
        ]

    /// What needs keys from an earlier connection.
    static let needingBonds = ["collector/heart_rate/bonded", "collector/thermometer/bonded"]

    /// The paths of all that can be played.
    static let paths = folders.flatMap { TestScenario.names("scenarios/\($0)") }
        .filter { path in !needingBonds.contains { path == "scenarios/\($0).json" } }

    static func read() throws -> ClientCases {
        ClientCases(
            expectations: try paths.flatMap { path in
                try TestScenario(path).scenario.expectations.map { expectation in
                    let name = path.dropFirst("scenarios/".count).dropLast(".json".count)
                    return Item(id: "\(name) \(expectation.id)", requirement: expectation.requirement)
                }
            })
    }

    /// The path in the id of an expectation.
    static func path(of id: String) -> String { id.split(separator: " ").first.map(String.init) ?? "" }

    /// As people read it.
    static func page() throws -> String {
        var lines = [
            "# What the verdicts on clients are worth", "",
            "Written by `LUBDUB_WRITE_VERDICTS=1 swift test --filter VerdictTests`, and proven current by that test.",
            "The built-in client meets every expectation of the scenarios in `scenarios/collector`, `clients`, `formats`,",
            "`errors` and `recovery`. Each of these clients differs from it in one thing, and fails what is named for it; no expectation",
            "is without such a client. Those with a source were seen.", "",
            "| client | what it does wrong | seen in | fails |", "|---|---|---|---|",
        ]
        lines += FaultyClient.all.map { client in
            "| `\(client.name)` | \(client.about) | \(client.source ?? "") | \(client.caughtBy.joined(separator: ", ")) |"
        }
        let expectations = try read().expectations
        lines += ["", "## Test cases of the Bluetooth SIG", "", "| test case | judged by |", "|---|---|"]
        lines += CollectorCase.all.map { asked in
            let judges = expectations.filter { $0.requirement == asked.id }.map(\.id)
            // Each of the 32 combinations has its own; one name says enough.
            let names = judges.filter { !$0.hasPrefix("collector/heart_rate/flags flags_") || $0.hasSuffix("00_shown") }
            return "| \(asked.id) | \(asked.obstacle ?? names.joined(separator: ", ")) |"
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
