package import Documents
import ScenarioModel

extension Tables {
    static let matcher = Shape.any(
        matcherFields.map(Shape.object) + [
            .map(Forms.literalKey, .definition("matcher")),
            .list(.definition("matcher")),
            .null, .boolean, .anyNumber, .text,
        ])

    /// The keys of each sort of object that is a pattern.
    package static let matcherFields: [[Shape.Field]] = [
        [
            .init(
                "$each", .definition("matcher"), required: true, example: ["$min": 300, "$max": 2000],
                "Matches a list if each element matches this.")
        ],
        [
            .init(
                "$one_of", .list(.definition("matcher"), count: 1...Int.max), required: true, example: [62, 63],
                "Matches if one of these does.")
        ],
        [
            .init("$min", .anyNumber, example: 60, "Lower bound, included."),
            .init("$max", .anyNumber, example: 90, "Upper bound, included."),
        ],
        [
            .init(
                "$any", .boolean, required: true, example: true, "Matches any value; with false, a missing one.")
        ],
        [
            .init(
                "$not", .definition("matcher"), required: true, example: 0,
                "Matches any value that this does not match.")
        ],
        [
            .init(
                "$truth", .name(Matcher.Statistic.allCases.map(\.rawValue)), required: true, example: "last",
                "A statistic over the delivered values. If the delivery of a value opens the expectation, `last` is that value, even if later ones follow."
            ),
            .init(
                "of", .entity, required: true, example: "strap/heart_rate",
                "The value, or what the client printed: `client/steps`."
            ),
            .init(
                "is", .name(Matcher.Relation.allCases.map(\.rawValue)), standard: "equal", example: "at_least",
                "How the value compares with the statistic."),
            .init("plus", .anyNumber, standard: 0, example: -1, "Is added to the statistic."),
            .init(
                "advertised", .id, example: "bpm",
                "The name of a field of the advertising data of the device in `of`: the values count that were advertised."
            ),
            .init("last", .positive, standard: .words("all"), example: 10, "Number of latest values that count."),
            .init("below", .anyNumber, example: 200, "Only values below this count."),
            .init("$tolerance", .number(0...1_000_000_000), standard: 0, example: 0.5, "Allowed deviation."),
            .init(
                "fresh", .boolean, standard: false, example: true,
                "Whether only a value counts that was delivered since the expectation opened: a client that shows a value from before an absence again fails."
            ),
        ],
    ]

    package static let expectation = Shape.kinds(
        key: "expect",
        [
            .init(
                "seen", about: "The event occurs within a time after the expectation opens.",
                example: [
                    "id": "returns", "expect": "seen", "event": ["event": "subscribed", "of": "strap/heart_rate"],
                    "since": ["event": "ended", "of": "away"], "within": "30 s",
                ],
                common + window + [event(), .init("within", .duration, required: true, "Time limit.")]),
            .init(
                "never", about: "The event does not occur while the expectation is open.",
                example: [
                    "id": "stays", "expect": "never", "event": ["event": "disconnected", "of": "strap"],
                    "since": "1 s", "until": "9 s",
                ],
                common + window + [event(), within]),
            .init(
                "count", about: "The number of times that the event occurs is within bounds.",
                example: [
                    "id": "connects_once", "expect": "count", "event": ["event": "connected", "of": "strap"],
                    "until": "9 s", "min": 1, "max": 1,
                ],
                common + window + [event(), within] + limits),
            .init(
                "order", about: "The events occur, in this order.",
                example: [
                    "id": "discovers_first", "expect": "order",
                    "events": ["connected", "discovered", ["event": "subscribed", "of": "strap/heart_rate"]],
                ],
                common + window + [
                    .init(
                        "events", .list(.definition("event"), count: 2...Int.max), required: true,
                        "The events, in order.")
                ]),
            .init(
                "rate", about: "The number of times that the event occurs in each window of time is within bounds.",
                example: [
                    "id": "steady", "expect": "rate", "event": ["event": "delivered", "of": "strap/heart_rate"],
                    "since": ["event": "subscribed", "of": "strap/heart_rate", "nth": 1], "until": "30 s",
                    "per": "10 s", "min": 9, "max": 11,
                ],
                common + window + [event(), .init("per", .duration, required: true, "Length of a window.")] + limits
            ),
            .init(
                "delay", about: "The time from each event `start` to the next event `end` does not exceed a maximum.",
                example: [
                    "id": "prompt", "expect": "delay", "start": ["event": "delivered", "of": "strap/heart_rate"],
                    "end": ["event": "said", "line": ["heart_rate": ["bpm": ["$any": true]]]], "percentile": 95,
                    "max": "1 s",
                ],
                common + [
                    event("start", "The event from which the time counts."),
                    event("end", "The event that ends it."),
                    .init(
                        "percentile", .number(0...100), standard: 100, "Percentage of the cases, more than 0."),
                    .init("max", .duration, required: true, "Maximum time between the events."),
                ]),
            .init(
                "stream",
                about:
                    "The client's lines show each sample of a stream once and in order, and count those that were lost. Only lines that say which samples they show are judged.",
                example: ["id": "drawn", "expect": "stream", "of": "strap/ecg", "max": "3 s"],
                common + [
                    .init("of", .entity, required: true, example: "strap/ecg", "An ECG, or measurements."),
                    .init(
                        "max", .duration, example: "3 s",
                        "Maximum time from the delivery of a sample to the line that shows it."),
                ]),
        ])

    private static let common: [Shape.Field] = [
        .init("id", .id, required: true, "Its name in reports."),
        .init(
            "requirement", .text, example: "HRS/SEN/CN/BV-01-I", "The test case or requirement that it checks."),
        .init("should", .boolean, standard: false, example: true, "Whether it is only a recommendation."),
    ]

    private static let window: [Shape.Field] = [
        .init(
            "since", .definition("moment"), standard: .words("the start"), example: "5 s",
            "Opens the expectation each time that it comes, and every time must pass; with `nth`, only once."),
        .init("until", .definition("moment"), example: "20 s", "Closes the expectation."),
    ]

    private static let within = Shape.Field(
        "within", .duration, example: "10 s", "How long the expectation stays open.")

    private static let limits: [Shape.Field] = [
        .init("min", .anyNumber, "Lower bound, included."), .init("max", .anyNumber, "Upper bound, included."),
    ]

    private static func event(_ key: String = "event", _ about: String = "The event.") -> Shape.Field {
        .init(key, .definition("event"), required: true, about)
    }
}
