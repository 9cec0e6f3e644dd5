import Documents

extension Tables {
    static let matcher = Shape.any([
        .object([.init("$each", .definition("matcher"), required: true, "Each element is like this.")]),
        .object([
            .init("$one_of", .list(.definition("matcher"), count: 1...Int.max), required: true, "One of these fits.")
        ]),
        .object([.init("$min", .anyNumber, "At least."), .init("$max", .anyNumber, "At most.")]),
        .object([.init("$any", .boolean, required: true, "Anything.")]),
        .object([.init("$not", .definition("matcher"), required: true, "Whatever this does not fit.")]),
        .object([
            .init("$truth", .name(Matcher.Statistic.allCases.map(\.rawValue)), required: true, "What was delivered."),
            .init("of", .entity, required: true, "Of this part."),
            .init("last", .positive, "Of so many values only."),
            .init("below", .anyNumber, "Of values below this only."),
            .init("$tolerance", .number(0...1_000_000_000), "So far off is near enough."),
        ]),
        .map(Forms.literalKey, .definition("matcher")),
        .list(.definition("matcher")),
        .null, .boolean, .anyNumber, .text,
    ])

    static let expectation = Shape.kinds(
        key: "expect",
        [
            .init(
                "seen",
                common + window + [event(), .init("within", .duration, required: true, "At the latest.")]),
            .init("never", common + window + [event(), within]),
            .init("count", common + window + [event(), within] + limits),
            .init(
                "order",
                common + window + [
                    .init("events", .list(.definition("event"), count: 2...Int.max), required: true, "In this order.")
                ]),
            .init(
                "rate",
                common + window + [event(), .init("per", .duration, required: true, "The length of a window.")] + limits
            ),
            .init(
                "delay",
                common + [
                    event("start"), event("end"),
                    .init(
                        "percentile", .number(0...100),
                        "In so many per cent of the cases, more than 0; 100 if it is left out."),
                    .init("max", .duration, required: true, "It takes at most so long."),
                ]),
        ])

    private static let common: [Shape.Field] = [
        .init("id", .id, required: true, "What reports call it."),
        .init("requirement", .text, "The test case or requirement that it checks."),
        .init("should", .boolean, "Whether it is a recommendation only."),
    ]

    private static let window: [Shape.Field] = [
        .init("since", .definition("moment"), "Opens it; the start if it is left out."),
        .init("until", .definition("moment"), "Closes it."),
    ]

    private static let within = Shape.Field("within", .duration, "How long it stays open.")

    private static let limits: [Shape.Field] = [
        .init("min", .anyNumber, "So often at least."), .init("max", .anyNumber, "So often at most."),
    ]

    private static func event(_ key: String = "event") -> Shape.Field {
        .init(key, .definition("event"), required: true, "What happens.")
    }
}
