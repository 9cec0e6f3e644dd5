import Documents
import Sensors

extension Tables {
    static let curve = Shape.kinds(
        key: "curve",
        [
            .init(
                "list",
                [
                    .init("values", .list(.anyNumber, count: 1...Int.max), required: true, "One after the other."),
                    .init("period", .duration, required: true, "How long each stays."),
                    .init("then", .name(Curve.Ending.allCases.map(\.rawValue)), "What comes behind the last; hold."),
                ]),
            .init(
                "ramp",
                [
                    .init("start", .anyNumber, required: true, "The first value."),
                    .init("end", .anyNumber, required: true, "The last value, which stays."),
                    .init("over", .duration, required: true, "How long the way takes."),
                ]),
            .init(
                "step",
                [
                    .init("start", .anyNumber, required: true, "The first value."),
                    .init("by", .anyNumber, required: true, "The size of each step."),
                    .init("period", .duration, required: true, "From step to step."),
                ]),
            .init(
                "sine",
                [
                    .init("mean", .anyNumber, required: true, "Around this value."),
                    .init("amplitude", .anyNumber, required: true, "So far up and down."),
                    .init("period", .duration, required: true, "Once up and down."),
                ]),
            .init(
                "walk",
                [
                    .init("start", .anyNumber, required: true, "The first value."),
                    .init("by", .anyNumber, required: true, "The largest step."),
                    .init("period", .duration, required: true, "From step to step."),
                    .init("range", .list(.anyNumber, count: 2...2), required: true, "The lowest and highest value."),
                ]),
            .init(
                "pieces",
                [
                    .init(
                        "pieces",
                        .list(
                            .object([
                                .init(
                                    "value", .definition("number_or_curve"), required: true, "Begins with the piece."),
                                .init("for", .duration, "How long; only the last may go on for ever."),
                            ]), count: 1...Int.max), required: true, "One after the other.")
                ]),
            .init(
                "days",
                [
                    .init(
                        "totals", .list(.integer(0...1_000_000_000), count: 1...Int.max), required: true,
                        "So much each day; they repeat."),
                    .init("profile", .name(Curve.Profile.allCases.map(\.rawValue)), "When in a day; flat."),
                ]),
            .init(
                "csv",
                [
                    .init("file", .path, required: true, "Relative to this file."),
                    .init("column", .text, "The column of the values; the last if it is left out."),
                    .init("time", .text, "The column of the times, in seconds; the first if it is left out."),
                ]),
            .init(
                "sum",
                [
                    .init(
                        "terms", .list(.definition("number_or_curve"), count: 1...Int.max), required: true,
                        "All of them together.")
                ]),
        ])
}
