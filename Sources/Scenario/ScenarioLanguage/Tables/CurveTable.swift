import Devices
package import Documents
import ScenarioModel

extension Tables {
    package static let curve = Shape.kinds(key: "curve", curveKinds)

    private static let curveKinds: [Shape.Kind] = [
        .init(
            "list", about: "Values one after another, each for the same time.",
            example: ["curve": "list", "values": [62, 75, 90], "period": "10 s", "then": "repeat"],
            [
                .init("values", .list(.anyNumber, count: 1...Int.max), required: true, "The values, in order."),
                .init("period", .duration, required: true, "Duration of each value."),
                .init("then", .choice(Curve.Ending.self), standard: "hold", "Behaviour after the last value."),
            ]),
        .init(
            "ramp", about: "An even change from one value to another, which then stays.",
            example: ["curve": "ramp", "start": 62, "end": 180, "over": "90 s"],
            [
                .init("start", .anyNumber, required: true, "The first value."),
                .init("end", .anyNumber, required: true, "The final value."),
                .init("over", .duration, required: true, "Duration of the ramp."),
            ]),
        .init(
            "step", about: "A value that changes by the same amount again and again.",
            example: ["curve": "step", "start": 60, "by": 5, "period": "20 s"],
            [
                .init("start", .anyNumber, required: true, "The first value."),
                .init("by", .anyNumber, required: true, "The size of each step."),
                .init("period", .duration, required: true, "Time between steps."),
            ]),
        .init(
            "sine", about: "A value that swings around a mean.",
            example: ["curve": "sine", "mean": 70, "amplitude": 8, "period": "30 s"],
            [
                .init("mean", .anyNumber, required: true, "The mean value."),
                .init("amplitude", .anyNumber, required: true, "The amplitude."),
                .init("period", .duration, required: true, "Duration of one oscillation."),
            ]),
        .init(
            "walk", about: "A random walk within limits; the same seed gives the same walk.",
            example: ["curve": "walk", "start": 72, "by": 2, "period": "1 s", "range": [60, 90]],
            [
                .init("start", .anyNumber, required: true, "The first value."),
                .init("by", .anyNumber, required: true, "The largest step."),
                .init(
                    "period", .duration, required: true, "Time between steps; below 1 ms, several are taken at once."),
                .init("range", .list(.anyNumber, count: 2...2), required: true, "The lowest and highest value."),
            ]),
        .init(
            "pieces", about: "Values or curves one after another, each with its duration.",
            example: [
                "curve": "pieces",
                "pieces": [
                    ["value": 62, "for": "1 min"],
                    ["value": ["curve": "ramp", "start": 62, "end": 150, "over": "30 s"]],
                ],
            ],
            [
                .init(
                    "pieces",
                    .list(
                        .object([
                            .init(
                                "value", .definition("number_or_curve"), required: true,
                                "The value or curve; it starts with the piece."),
                            .init("for", .duration, "Duration; required except in the last piece."),
                        ]), count: 1...Int.max), required: true, "The pieces, in order.")
            ]),
        .init(
            "days",
            about: "A count that grows by a total each day, such as steps; it does not start again at midnight.",
            example: ["curve": "days", "totals": [6200, 11400, 8800], "profile": "waking"],
            [
                .init(
                    "totals", .list(.integer(0...1_000_000_000), count: 1...Int.max), required: true,
                    "Totals of successive days, repeated."),
                .init("profile", .choice(Curve.Profile.self), standard: "flat", "Distribution over a day."),
            ]),
        .init(
            "csv", about: "Recorded values of a file, each from its time until the next; the last one stays.",
            example: ["curve": "csv", "file": "rates.csv", "column": "bpm", "time": "seconds"],
            [
                .init("file", .path, required: true, "Path, relative to this file."),
                .init("column", .text, standard: .words("the last"), "Column of the values."),
                .init("time", .text, standard: .words("the first"), "Column of the times in seconds."),
            ]),
        .init(
            "sum", about: "The sum of several numbers or curves.",
            example: [
                "curve": "sum",
                "terms": [72, ["curve": "sine", "mean": 0, "amplitude": 4, "period": "5 s"]],
            ],
            [
                .init(
                    "terms", .list(.definition("number_or_curve"), count: 1...Int.max), required: true,
                    "The numbers or curves to add.")
            ]),
    ]
}
