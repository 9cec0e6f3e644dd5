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
    static let paths = folders.flatMap { Play.names("scenarios/\($0)") }
        .filter { path in !needingBonds.contains { path == "scenarios/\($0).json" } }

    static func read() throws -> ClientCases {
        ClientCases(
            expectations: try paths.flatMap { path in
                try Play(path).scenario.expectations.map { expectation in
                    let name = path.dropFirst("scenarios/".count).dropLast(".json".count)
                    return Item(id: "\(name) \(expectation.id)", requirement: expectation.requirement)
                }
            })
    }

    /// The path in the id of an expectation.
    static func path(of id: String) -> String { id.split(separator: " ").first.map(String.init) ?? "" }

    /// Why a test case is required by no expectation.
    static let unseen = [
        "HRP/COL/HRF/BV-08-C": "needs pairing: `collector/heart_rate/bonded` is skipped with that reason",
        "HTP/COL/THF/BV-14-C": "needs pairing: `collector/thermometer/bonded` is skipped with that reason",
        "HTP/COL/CGGIT/DES/BV-01-C": "event logs say nothing of descriptors that are read",
    ]

    /// Ids of the test cases that the Bluetooth SIG lists for collectors over Low Energy: Test Case Reference List,
    /// package 102.  Retired ones are left out.
    static let sigTestCases = """
        HRP/COL/CGGIT/SER/BV-01-C HRP/COL/CGGIT/SER/BV-02-C HRP/COL/CGGIT/CHA/BV-01-C HRP/COL/CGGIT/CHA/BV-02-C
        HRP/COL/CGGIT/CHA/BV-03-C HRP/COL/HRD/BV-09-C HRP/COL/HRD/BV-10-C HRP/COL/HRF/BI-01-C HRP/COL/HRF/BI-02-C
        HRP/COL/HRF/BI-03-C HRP/COL/HRF/BV-03-C HRP/COL/HRF/BV-04-C HRP/COL/HRF/BV-05-C HRP/COL/HRF/BV-07-C
        HRP/COL/HRF/BV-08-C HTP/COL/CGGIT/CHA/BV-01-C HTP/COL/CGGIT/CHA/BV-02-C HTP/COL/CGGIT/CHA/BV-03-C
        HTP/COL/CGGIT/CHA/BV-04-C HTP/COL/CGGIT/DES/BV-01-C HTP/COL/CGGIT/SER/BV-01-C HTP/COL/CGGIT/SER/BV-02-C
        HTP/COL/THF/BI-01-C HTP/COL/THF/BI-02-C HTP/COL/THF/BI-03-C HTP/COL/THF/BI-04-C HTP/COL/THF/BI-05-C
        HTP/COL/THF/BI-06-C HTP/COL/THF/BI-07-C HTP/COL/THF/BV-01-C HTP/COL/THF/BV-02-C HTP/COL/THF/BV-03-C
        HTP/COL/THF/BV-04-C HTP/COL/THF/BV-05-C HTP/COL/THF/BV-07-C HTP/COL/THF/BV-08-C HTP/COL/THF/BV-09-C
        HTP/COL/THF/BV-14-C HTP/COL/THS/BV-13-C HTP/COL/THS/BV-14-C
        """.split { $0 == " " || $0 == "\n" }.map(String.init)

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
        lines += sigTestCases.map { id in
            let judges = expectations.filter { $0.requirement == id }.map(\.id)
            // Each of the 32 combinations has its own; one name says enough.
            let names = judges.filter { !$0.hasPrefix("collector/heart_rate/flags flags_") || $0.hasSuffix("00_shown") }
            return "| \(id) | \(unseen[id] ?? names.joined(separator: ", ")) |"
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
