import Documents

/// The whole grammar, in tables: the reader checks files with them, and the schema is written from them.
enum Tables {
    static let scenario = Grammar(root: .object(scenarioFields), definitions: definitions, everywhere: everywhere)
    static let included = Grammar(root: .object(sharedFields), definitions: definitions, everywhere: everywhere)
    static let suite = Grammar(root: .object(suiteFields), definitions: definitions, everywhere: everywhere)

    /// What a file may be, for the schema.
    static let file = Grammar(
        root: .any([.object(suiteFields), .object(scenarioFields)]), definitions: definitions, everywhere: everywhere)

    static let everywhere = [Shape.Field("note", .text, "For people; means nothing else.")]

    /// Keys whose strings no variable replaces.
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
        .init("tags", .list(.text), "By which it can be chosen."),
    ]

    static let sharedFields =
        header + [
            .init("name", .text, "What reports call it."),
            .init(
                "variables", .map(Forms.id, .any([.anyNumber, .boolean, .text])),
                "Values that stand for \"${name}\" elsewhere in the file, and can be given anew for a run."),
            .init(
                "include", .list(.path), "Files whose devices, script, expectations and variables come before these."),
            .init("devices", .list(.definition("device")), "What is on the air besides the client."),
            .init("script", .list(.definition("rule")), "What is done when."),
            .init("expect", .list(.definition("expectation")), "What should be seen."),
        ]

    static let scenarioFields =
        sharedFields.filter { $0.key != "name" } + [
            .init("name", .text, required: true, "What reports call it."),
            .init("kind", .name(["scenario"]), "A scenario, unless it says otherwise."),
            .init("seed", .natural, "All chance comes from it; 1 if it is left out."),
            .init("begins", .form(Forms.wallTime), "What the sensors' clock shows at the start."),
            .init("limit", .duration, "The case ends then; 30 s after the script's last moment if it is left out."),
            .init(
                "target", .id,
                "The device that a client is told of, and to which alone the built-in client connects. If it is left out: the first, and whom the built-in client hears best."
            ),
        ]

    static let suiteFields =
        header + [
            .init("name", .text, required: true, "What reports call it."),
            .init("kind", .name(["suite"]), required: true, "A list of cases."),
            .init(
                "cases",
                .list(
                    .object([
                        .init("scenario", .path, required: true, "The file, relative to this one."),
                        .init("id", .form(Forms.path), "The scenario's path without .json if it is left out."),
                        .init("seed", .natural, "Instead of the scenario's own."),
                        .init(
                            "variables", .map(Forms.id, .any([.anyNumber, .boolean, .text])),
                            "Instead of the scenario's own values."),
                    ])), required: true, "In the order in which they are run."),
        ]
}
