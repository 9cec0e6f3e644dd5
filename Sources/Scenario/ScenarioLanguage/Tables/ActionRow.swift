package import Documents
package import ScenarioModel

/// The definition of one action.
package struct ActionRow: Sendable {
    /// The table of the documentation that lists the action.
    enum Group: String, CaseIterable, Sendable {
        case air, values, server, pairing, system
    }

    let group: Group
    package let target: Target
    let orWith: (argument: String, target: Target)?
    /// Whether the action ends later than it begins.
    package let lasts: Bool
    /// Whether `of` is required even with one device.
    package let needsEntity: Bool
    /// The target and the arguments of the rule that is the example.
    package let sample: Node
    /// One or two sentences.
    package let about: String
    let arguments: [Shape.Field]
    /// Makes the operation from a checked object and its target; nil after noting a problem.
    let read: @Sendable (ActionReader, Cursor, EntityReference) -> Action.Operation?

    init(
        _ group: Group, of target: Target, orWith: (argument: String, target: Target)? = nil, lasts: Bool = true,
        needsEntity: Bool = false, example: Node, _ about: String,
        _ arguments: [Shape.Field] = [],
        read: @escaping @Sendable (ActionReader, Cursor, EntityReference) -> Action.Operation?
    ) {
        (self.group, self.target, self.orWith, self.lasts) = (group, target, orWith, lasts)
        (self.needsEntity, self.about, self.arguments) = (needsEntity, about, arguments)
        (sample, self.read) = (example, read)
    }

    /// What `of` names: `device, service or value`.
    package var targetDescription: String {
        target.description + (orWith.map { "; with `\($0.argument)` \($0.target.description)" } ?? "")
    }
}

extension Action.Kind {
    /// Whether the action ends later than it begins: with `for` or `until`, or with the scenario.
    package var lasts: Bool { row.lasts }

    /// A rule with the action, for the documentation.
    var example: Node {
        .object([(key: "when", node: "10 s"), (key: "do", node: Node(.string(rawValue)))] + row.sample.pairs)
    }
}
