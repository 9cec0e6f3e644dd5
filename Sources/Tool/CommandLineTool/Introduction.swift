import Basics
import CommandSupport

/// What to try, and where to read.
enum Introduction {
    typealias Step = (command: String, text: String)

    /// For someone who has seen a strap and a client.
    static let next: [Step] = [
        ("lubdub serve resting", "act as that strap for your client, or in a second terminal:"),
        ("lubdub monitor --radio hci:tcp:127.0.0.1:6402", "connect to it, and show its values"),
        ("lubdub run recovery", "test a client: does it return after each kind of loss?"),
        ("lubdub new client", "write a client to start from, for lubdub run --client"),
    ]

    private static let first: [Step] = [
        ("lubdub demo", "see how a client finds a strap and reads it, packet by packet"),
        ("lubdub run recovery", "test a client: does it return after each kind of loss?"),
        ("lubdub serve resting", "act as a strap for a Bluetooth host, which keys make fail"),
    ]

    private static var reading: [Step] {
        let commands: [Step] = [
            ("lubdub --help", "all commands; lubdub COMMAND --help has the options of one"),
            ("lubdub list", "the scenarios that run and serve know by name"),
            ("lubdub explain", "the words of scenarios, the checks, and the codes of problems"),
        ]
        return commands + (ShareFolder.path.map { [("\($0)/Documentation", "a tutorial, and the reference")] } ?? [])
    }

    /// `summary` is what Lubdub does.
    static func lines(_ summary: String) -> [String] {
        summary.wrapped(to: 100) + ["", "To try:", ""] + table(first) + ["", "To read:", ""] + table(reading)
    }

    /// A row for each step.
    static func table(_ steps: [Step]) -> [String] {
        let width = steps.map(\.command.count).max() ?? 0
        return steps.map { "  \($0.command.padded(to: width))  \($0.text)" }
    }
}
