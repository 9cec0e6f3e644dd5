import Documents
import Scenarios

/// The grammar of the language: the reader checks files with it, and the schema is generated from it.
enum Tables {
    static let scenario = Grammar(root: .object(scenarioFields), definitions: definitions, everywhere: everywhere)
    static let included = Grammar(root: .object(sharedFields), definitions: definitions, everywhere: everywhere)
    static let suite = Grammar(root: .object(suiteFields), definitions: definitions, everywhere: everywhere)

    /// Any file, for the schema.
    static let file = Grammar(
        root: .any([.object(suiteFields), .object(scenarioFields)]), definitions: definitions, everywhere: everywhere)

    static let everywhere = [Shape.Field("note", .text, "A remark for people; ignored.")]

    /// Keys whose strings cannot be variables.
    static let fixedKeys = [
        "id", "service", "curve", "event", "do", "expect", "kind", "lubdub", "$schema", "note", "variables",
    ]

    static let definitions: [(name: String, shape: Shape)] = [
        ("curve", curve), ("number_or_curve", .any([.anyNumber, .boolean, .definition("curve")])),
        ("value", .any([.anyNumber, .boolean, .text, .definition("curve")])),
        ("matcher", matcher), ("event", event), ("moment", moment), ("service", service), ("device", device),
        ("rule", rule), ("expectation", expectation),
    ]

    private static let header: [Shape.Field] = [
        .init("$schema", .text, "For editors."),
        .init("lubdub", .version(1), required: true, "The version of the language."),
        .init("tags", .list(.text), "Labels to select it by."),
    ]

    static let sharedFields =
        header + [
            .init("name", .text, "Its name in reports."),
            .init(
                "variables", .map(Forms.id, .any([.anyNumber, .boolean, .text])),
                "Values of \"${name}\" in the file; a run can override them."),
            .init(
                "include", .list(.path),
                "Files whose devices, script, expectations and variables are added before these."),
            .init("devices", .list(.definition("device")), "The devices."),
            .init("script", .list(.definition("rule")), "The rules."),
            .init("expect", .list(.definition("expectation")), "The expectations."),
        ]

    static let scenarioFields =
        sharedFields.filter { $0.key != "name" } + [
            .init("name", .text, required: true, "Its name in reports."),
            .init("kind", .name(["scenario"]), "Scenario by default."),
            .init("seed", .natural, "Seed of all random numbers; 1 by default."),
            .init("begins", .form(Forms.wallTime), "The sensors' wall-clock time at the start."),
            .init(
                "limit", .duration,
                "Duration of the case; by default it ends 30 s after the script's last known moment."),
            .init(
                "target", .id,
                "The device that the client should connect to. By default it is the first; the built-in client then chooses the strongest signal."
            ),
        ]

    static let suiteFields =
        header + [
            .init("name", .text, required: true, "Its name in reports."),
            .init("kind", .name(["suite"]), required: true, "A suite."),
            .init(
                "cases",
                .list(
                    .object([
                        .init("scenario", .path, required: true, "Path, relative to this file."),
                        .init(
                            "id", .form(Forms.path),
                            "Its name in reports; the scenario's path without .json by default."),
                        .init("seed", .natural, "Overrides the scenario's seed."),
                        .init(
                            "variables", .map(Forms.id, .any([.anyNumber, .boolean, .text])),
                            "Overrides the scenario's variables."),
                    ])), required: true, "The cases, in order."),
        ]
}
