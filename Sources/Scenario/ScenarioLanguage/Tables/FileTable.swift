package import Documents
import ScenarioModel

/// The grammar of the language: the reader checks files with it, and the schema is generated from it.
package enum Tables {
    static let scenario = Grammar(
        root: .object(scenarioFields), definitions: definitions, everywhere: everywhere, advice: advice)
    static let included = Grammar(
        root: .object(sharedFields), definitions: definitions, everywhere: everywhere, advice: includedAdvice)
    /// The keys of files that only others include.
    package static let includedKeys = Set((sharedFields + everywhere).map(\.key))
    static let suite = Grammar(
        root: .object(suiteFields), definitions: definitions, everywhere: everywhere, advice: advice)

    /// The version of a file.
    static let version = Grammar(root: .version(1), definitions: [], everywhere: [])

    /// Any file, for the schema.
    static let file = Grammar(
        root: .any([.object(suiteFields), .object(scenarioFields)]), definitions: definitions, everywhere: everywhere,
        advice: advice)

    package static let everywhere = [
        Shape.Field("note", .text, example: "as on a busy street", "A remark for people; ignored.")
    ]

    /// Keys whose strings cannot be variables.
    static let fixedKeys = [
        "id", "service", "curve", "event", "do", "expect", "kind", "lubdub", "$schema", "note", "variables",
    ]

    static let definitions: [(name: String, shape: Shape)] = [
        ("curve", curve), ("number_or_curve", .any([.anyNumber, .boolean, .definition("curve")])),
        ("value", .any([.anyNumber, .boolean, .text, .definition("curve")])),
        ("matcher", matcher), ("event", event), ("condition", condition), ("moment", moment), ("service", service),
        ("device", device), ("rule", rule), ("expectation", expectation),
    ]

    private static let header: [Shape.Field] = [
        .init("$schema", .text, example: "scenario.schema.json", "The JSON Schema, for editors."),
        .init("lubdub", .version(1), required: true, example: 1, "The version of the language."),
        .init("tags", .list(.text), example: ["recovery", "slow"], "Labels to select it by."),
    ]

    static let sharedFields =
        header + [
            .init("name", .text, example: "Resting", "Its name in reports."),
            .init(
                "variables", .map(Forms.id, .any([.anyNumber, .boolean, .text])), example: ["rest": 62],
                "Values of \"${name}\" in the file; a run can override them."),
            .init(
                "include", .list(.path), example: ["watch.json"],
                "Files whose devices, script, expectations and variables are added before these."),
            .init(
                "devices", .list(.definition("device")),
                example: [["id": "strap", "services": [["service": "heart_rate", "value": "${rest}"]]]],
                "The devices."),
            .init(
                "script", .list(.definition("rule")),
                example: [["when": "10 s", "do": "link_loss", "of": "strap", "for": "8 s"]], "The rules."),
            .init(
                "expect", .list(.definition("expectation")),
                example: [
                    ["id": "connects", "expect": "seen", "event": "connected", "within": "10 s"]
                ], "The expectations."),
        ]

    package static let scenarioFields =
        sharedFields.filter { $0.key != "name" } + [
            .init("name", .text, required: true, example: "Resting", "Its name in reports."),
            .init("kind", .name(["scenario"]), standard: "scenario", example: "scenario", "Marks a scenario."),
            .init("seed", .natural, standard: 1, example: 7, "Seed of all random numbers."),
            .init(
                "begins", .form(Forms.wallTime), standard: "2000-01-01T00:00:00Z", example: "2026-03-14T22:15:00+01:00",
                "The sensors' wall-clock time at the start."),
            .init(
                "limit", .duration, standard: .words("30 s after the script's last known moment"), example: "90 s",
                "Duration of the case."),
            .init(
                "target", .id, example: "strap",
                "The device that the client should connect to. By default it is the first; the built-in client then chooses the strongest signal."
            ),
        ]

    package static let suiteFields =
        header + [
            .init("name", .text, required: true, example: "Nightly", "Its name in reports."),
            .init("kind", .name(["suite"]), required: true, example: "suite", "Marks a suite."),
            .init(
                "cases",
                .list(
                    .object([
                        .init("scenario", .path, required: true, "Path, relative to this file."),
                        .init(
                            "id", .form(Forms.path), standard: .words("the scenario's path without .json"),
                            "Its name in reports."),
                        .init("seed", .natural, "Overrides the scenario's seed."),
                        .init(
                            "variables", .map(Forms.id, .any([.anyNumber, .boolean, .text])),
                            "Overrides the scenario's variables."),
                    ])), required: true,
                example: [["scenario": "strap.json", "id": "fast", "seed": 7, "variables": ["rest": 180]]],
                "The cases, in order."),
        ]
}
