import Bluetooth
package import Documents
package import GATT
import ScenarioModel

/// What `of` can name in an action or event.
package enum Target: Sendable {
    case device
    /// A value with at least one of these properties; with none: any value.
    case value(CharacteristicProperties)
    /// A device, or a service or value that is notified or indicated.
    case sender
    /// A device, or a service or value of it.
    case served
    /// A service of a device, counted from 0.
    case service(of: Int)
    case rule
    case client
    /// A device or the client, whose user is meant.
    case user
    /// Anything but a rule.
    case anything

    /// `device, service or value`.
    package var description: String {
        switch self {
        case .device: "device"
        case .value: "value"
        case .sender, .served: "device, service or value"
        case .service: "service"
        case .rule: "rule"
        case .client: "`client`"
        case .user: "device or `client`"
        case .anything: "device, service, value or `client`"
        }
    }
}

extension Tables {
    static let moment = Shape.any([.form(Forms.moment), .object(repetition), event])

    package static let repetition: [Shape.Field] = [
        .init("at", .duration, required: true, "Time since the start."),
        .init("every", .duration, "Period of the repetitions."),
        .init(
            "times", .integer(1...LanguageLimits.repetitions), standard: .words("unlimited"), example: 3,
            "Number of repetitions, the first included."),
    ]

    static let event = Shape.any([.form(Forms.event), eventKinds])

    /// Something that must have happened, or must not, for a rule to act.
    static let condition = Shape.any([.form(Forms.event), kinds(with: conditionTime)])

    package static let conditionTime: [Shape.Field] = [
        .init("within", .duration, standard: .words("unlimited"), example: "5 s", "How long ago it happened, at most.")
    ]

    package static let eventKinds = kinds(with: [
        .init("after", .duration, standard: "0 s", example: "5 s", "Delay after the event.")
    ])

    private static func kinds(with time: [Shape.Field]) -> Shape {
        .kinds(
            key: "event",
            Event.Kind.allCases.map { kind in
                let row = kind.row
                return .init(
                    kind.rawValue, about: row.about, example: row.example,
                    [
                        .init("of", .entity, standard: .words("any"), example: row.example["of"], "The target."),
                        .init("nth", .positive, example: 2, "Only the match with this number, counted from 1."),
                        .init("every", .positive, example: 3, "Only each match whose number is a multiple of this."),
                    ] + time + row.filters)
            })
    }

    package static let rule = actions(
        [
            .init(
                "id", .id, example: "first",
                "The name of the rule in other rules and in expectations; without one, it is `rule 2` in logs, counted from 1."
            ),
            .init("when", .definition("moment"), required: true, "The rule fires at each match."),
            .init(
                "if", .definition("condition"), example: ["event": "connected", "within": "10 s"],
                "The rule acts only if this has happened: an event, at most `within` ago."),
            .init(
                "unless", .definition("condition"), example: ["event": "subscribed", "within": "10 s"],
                "The rule does not act if this has happened: an event, at most `within` ago."),
        ], clearNeedsTarget: true)

    /// An action on the control socket: a rule without `id` and `when`.  `clear` without a target clears everything.
    static let instruction = Grammar(
        root: actions([], clearNeedsTarget: false), definitions: definitions, everywhere: everywhere, advice: advice)

    /// A query on the control socket.
    static let question = Grammar(
        root: .kinds(
            key: "ask",
            [
                .init("status", []),
                .init("event", [.init("event", .definition("event"), required: true, "The pattern to check.")]),
            ]), definitions: definitions, everywhere: everywhere, advice: advice)

    private static func actions(_ fields: [Shape.Field], clearNeedsTarget: Bool) -> Shape {
        .kinds(
            key: "do",
            Action.Kind.allCases.map { kind in
                let row = kind.row
                let needsEntity = row.needsEntity && (clearNeedsTarget || kind != .clear)
                let end: [Shape.Field] =
                    row.lasts
                    ? [
                        .init("for", .duration, example: "8 s", "Duration of the action."),
                        .init("until", .definition("moment"), example: "30 s", "End of the action."),
                    ] : []
                let common: [Shape.Field] = [
                    .init(
                        "of", .entity, required: needsEntity,
                        standard: needsEntity ? nil : .words("the only device, or the client"), "The target."),
                    .init(
                        "chance", .number(0...1), standard: 1, example: 0.5, "Probability that a match counts."),
                ]
                return .init(
                    kind.rawValue, about: row.about, example: kind.example, fields + common + end + row.arguments)
            })
    }
}

extension Shape {
    static let attError = code(ATTError.allNames)

    /// An error or reason: an octet, or a name of the specification, or what the event log prints if it has no name.
    static func code(_ names: [String]) -> Shape { .any([.integer(0...255), .name(names), .form(Forms.code)]) }

    static func choice<Choice: CaseIterable & RawRepresentable<String>>(_: Choice.Type) -> Shape {
        .name(Choice.allCases.map(\.rawValue))
    }
}
