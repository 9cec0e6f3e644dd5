import Documents
import Scenarios
import Sensors

extension Tables {
    static let curve = Shape.kinds(key: "curve", curveKinds.map { .init($0, $1) })

    private static let curveKinds: KeyValuePairs<String, [Shape.Field]> = [
        "list": [
            .init("values", .list(.anyNumber, count: 1...Int.max), required: true, "The values, in order."),
            .init("period", .duration, required: true, "Duration of each value."),
            .init(
                "then", .name(Curve.Ending.allCases.map(\.rawValue)),
                "Behaviour after the last value; hold by default."),
        ],
        "ramp": [
            .init("start", .anyNumber, required: true, "The first value."),
            .init("end", .anyNumber, required: true, "The final value."),
            .init("over", .duration, required: true, "Duration of the ramp."),
        ],
        "step": [
            .init("start", .anyNumber, required: true, "The first value."),
            .init("by", .anyNumber, required: true, "The size of each step."),
            .init("period", .duration, required: true, "Time between steps."),
        ],
        "sine": [
            .init("mean", .anyNumber, required: true, "The mean value."),
            .init("amplitude", .anyNumber, required: true, "The amplitude."),
            .init("period", .duration, required: true, "Duration of one oscillation."),
        ],
        "walk": [
            .init("start", .anyNumber, required: true, "The first value."),
            .init("by", .anyNumber, required: true, "The largest step."),
            .init("period", .duration, required: true, "Time between steps; below 1 ms, several are taken at once."),
            .init("range", .list(.anyNumber, count: 2...2), required: true, "The lowest and highest value."),
        ],
        "pieces": [
            .init(
                "pieces",
                .list(
                    .object([
                        .init(
                            "value", .definition("number_or_curve"), required: true,
                            "The value or curve; it starts with the piece."),
                        .init("for", .duration, "Duration; required except in the last piece."),
                    ]), count: 1...Int.max), required: true, "The pieces, in order.")
        ],
        "days": [
            .init(
                "totals", .list(.integer(0...1_000_000_000), count: 1...Int.max), required: true,
                "Totals of successive days, repeated."),
            .init(
                "profile", .name(Curve.Profile.allCases.map(\.rawValue)),
                "Distribution over a day; flat by default."),
        ],
        "csv": [
            .init("file", .path, required: true, "Path, relative to this file."),
            .init("column", .text, "Column of the values; the last by default."),
            .init("time", .text, "Column of the times in seconds; the first by default."),
        ],
        "sum": [
            .init(
                "terms", .list(.definition("number_or_curve"), count: 1...Int.max), required: true,
                "The numbers or curves to add.")
        ],
    ]
}
