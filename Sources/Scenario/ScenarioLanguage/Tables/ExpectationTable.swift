import Documents
import Scenarios

extension Tables {
    static let matcher = Shape.any([
        .object([.init("$each", .definition("matcher"), required: true, "Matches a list if each element matches this.")]
        ),
        .object([
            .init(
                "$one_of", .list(.definition("matcher"), count: 1...Int.max), required: true,
                "Matches if one of these does.")
        ]),
        .object([
            .init("$min", .anyNumber, "Lower bound, included."), .init("$max", .anyNumber, "Upper bound, included."),
        ]),
        .object([.init("$any", .boolean, required: true, "Matches any value; with false, a missing one.")]),
        .object([.init("$not", .definition("matcher"), required: true, "Matches any value that this does not match.")]),
        .object([
            .init(
                "$truth", .name(Matcher.Statistic.allCases.map(\.rawValue)), required: true,
                "A statistic over the delivered values; `last`, where a value's delivery opens the expectation: that value."
            ),
            .init("of", .entity, required: true, "The value."),
            .init("last", .positive, "Number of latest values that count; all by default."),
            .init("below", .anyNumber, "Only values below this count."),
            .init("$tolerance", .number(0...1_000_000_000), "Allowed deviation."),
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
                common + window + [event(), .init("within", .duration, required: true, "Time limit.")]),
            .init("never", common + window + [event(), within]),
            .init("count", common + window + [event(), within] + limits),
            .init(
                "order",
                common + window + [
                    .init(
                        "events", .list(.definition("event"), count: 2...Int.max), required: true,
                        "The events, in order.")
                ]),
            .init(
                "rate",
                common + window + [event(), .init("per", .duration, required: true, "Length of a window.")] + limits
            ),
            .init(
                "delay",
                common + [
                    event("start"), event("end"),
                    .init(
                        "percentile", .number(0...100),
                        "Percentage of the cases, more than 0; 100 by default."),
                    .init("max", .duration, required: true, "Maximum time between the events."),
                ]),
        ])

    private static let common: [Shape.Field] = [
        .init("id", .id, required: true, "Its name in reports."),
        .init("requirement", .text, "The test case or requirement that it checks."),
        .init("should", .boolean, "Whether it is only a recommendation; false by default."),
    ]

    private static let window: [Shape.Field] = [
        .init("since", .definition("moment"), "Opens the expectation; the start by default."),
        .init("until", .definition("moment"), "Closes the expectation."),
    ]

    private static let within = Shape.Field("within", .duration, "How long the expectation stays open.")

    private static let limits: [Shape.Field] = [
        .init("min", .anyNumber, "Lower bound, included."), .init("max", .anyNumber, "Upper bound, included."),
    ]

    private static func event(_ key: String = "event") -> Shape.Field {
        .init(key, .definition("event"), required: true, "The event.")
    }
}
