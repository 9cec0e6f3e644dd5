import Basics
import Bluetooth
import Checks
import Conformance
import Documents
import ScenarioLanguage

/// The JSON Schemas of what commands print with `--json`: each describes one line.
///
/// The names are those of the files in `schema`, and of `validate --schema-of`.
enum OutputSchemas {
    static let all: [(name: String, schema: String)] = [
        ("check-list", schema("lubdub check --list --json", .object(check))),
        ("doctor", schema("lubdub doctor --json", .object(diagnosis))),
        ("list", schema("lubdub list --json", .kinds(key: "kind", installed))),
        ("monitor", schema("lubdub monitor --json", .object(clientLine))),
        ("prove", schema("lubdub prove --json", .object(proof))),
        ("prove-list", schema("lubdub prove --list --json", .object(faultyClient))),
        ("run", JSONReport.lineSchema),
        ("run-list", schema("lubdub run --list --json", .object(listedCase))),
        (
            "scan",
            schema("lubdub scan --json", .object(ClientLines.device(isRequired: true) + [ClientLines.advertised]))
        ),
    ]

    private static func schema(_ command: String, _ shape: Shape) -> String {
        Grammar(root: shape, definitions: [], everywhere: []).schema(title: "A line of \(command)")
    }

    private static let whole = Shape.integer(0...Int.max)
    private static func orNull(_ shape: Shape) -> Shape { .any([shape, .null]) }
    private static func required(_ key: String, _ shape: Shape, _ about: String) -> Shape.Field {
        .init(key, shape, required: true, about)
    }

    // MARK: Diagnosing

    private static let diagnosis = [
        required("lubdub", .text, "Lubdub's version."),
        required(
            "findings",
            .list(
                .object([
                    required("subject", .text, "What was examined, such as kernel, bus or hci0."),
                    required("level", .name(["ok", "hint", "problem"]), "A problem keeps something from working."),
                    required("code", orNull(.text), "Its kind; null for ok."),
                    required("found", .text, "What was found."),
                    required("mend", orNull(.text), "The command line that fixes it."),
                    required("advice", orNull(.text), "A step that is not a command."),
                ])), "In the order of the text."),
        required(
            "radios",
            .list(
                .object([
                    required("radio", .text, "A value of --radio."), required("works", .boolean, "On this machine."),
                    required("says", .text, "Why not, or what it is."),
                ])), "Which radios work."),
        required("status", whole, "The exit status."),
    ]

    // MARK: Listing

    private static let check = [
        required("id", .text, "For --only."), required("title", .text, "What it checks."),
        required("requirement", .text, "The specification and the section that require it."),
        required(
            "weight", .name(Check.Weight.allCases.map(\.rawValue)), "All but required ones run only with --strict."),
    ]

    private static let listedCase = [
        required(
            "id", .text, "Unique: the path without .json, or the id in the suite, with @seed and #run in a campaign."),
        required("case", .text, "The id without the seed and the number of the run."),
        required("path", .text, "The scenario's file."),
        required("seed", orNull(whole), "The seed that the suite or the campaign gives it; null: the scenario's."),
        required("run", orNull(.integer(1...Int.max)), "The number of the run, if cases are repeated."),
    ]

    private static let proof = [
        required("case", .text, "The case's id, as in run --list."),
        required("expectation", .text, "The expectation's id."),
        required("should", .boolean, "Whether it is only a recommendation."),
        required("proven", .boolean, "Whether the built-in client passes, and a faulty client fails."),
        required("failed_by", .list(.text), "The names of the faulty clients that fail it."),
        required("problem", orNull(.text), "Why the built-in client does not pass; null if it passes."),
        required(
            "undecided", .list(.text),
            "The names of the faulty clients with which the scenario ends before the expectation is decided."),
        required("unopened", .list(.text), "The names of the faulty clients with which its since does not come."),
        required(
            "reason", orNull(.text),
            "Why no faulty client fails it, and what to do; null if one does, or if it is unknown."),
    ]

    private static let faultyClient = [
        required("name", .text, "Its name, for run --faulty."), required("about", .text, "Its fault."),
        required("source", orNull(.text), "A real project that had this fault."),
    ]

    private static let installed: [Shape.Kind] = {
        let name = required("name", .text, "Its name on the command line.")
        let path = required("path", .text, "Its file or folder.")
        let title = required("title", .text, "Its name in the file.")
        let count = required("scenarios", whole, "How many the folder has.")
        return [
            .init("scenario", [name, title, path]), .init("suite", [name, title, path]),
            .init("folder", [name, count, path]),
        ]
    }()

    // MARK: Values of devices

    /// One of these keys, and the device.
    private static let clientLine =
        ClientLines.states + ClientLines.device(isRequired: false) + ClientLines.values
}
