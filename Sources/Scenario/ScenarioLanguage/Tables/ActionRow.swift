package import Documents
package import ScenarioModel

/// The definition of one action.
package struct ActionRow: Sendable {
    /// The table of the documentation that lists the action.
    enum Group: String, CaseIterable, Sendable {
        case air, values, server, pairing
    }

    let group: Group
    package let target: Target
    let orWith: (argument: String, target: Target)?
    /// Whether the action ends later than it begins.
    package let lasts: Bool
    /// Whether `of` is required even with one device.
    package let needsEntity: Bool
    package let support: RadioSupport
    /// The target and the arguments of the rule that is the example.
    package let sample: Node
    /// One or two sentences.
    package let about: String
    let arguments: [Shape.Field]
    /// Makes the operation from a checked object and its target; nil after noting a problem.
    let read: @Sendable (ActionReader, Cursor, EntityReference) -> Action.Operation?

    init(
        _ group: Group, of target: Target, orWith: (argument: String, target: Target)? = nil, lasts: Bool = true,
        needsEntity: Bool = false, on support: RadioSupport = .all, example: Node, _ about: String,
        _ arguments: [Shape.Field] = [],
        read: @escaping @Sendable (ActionReader, Cursor, EntityReference) -> Action.Operation?
    ) {
        (self.group, self.target, self.orWith, self.lasts) = (group, target, orWith, lasts)
        (self.needsEntity, self.support, self.about, self.arguments) = (needsEntity, support, about, arguments)
        (sample, self.read) = (example, read)
    }

    /// What `of` names: `device, service or value`.
    package var targetDescription: String {
        target.description + (orWith.map { "; with `\($0.argument)` \($0.target.description)" } ?? "")
    }
}

/// The radios that can play an action.
package struct RadioSupport: Sendable {
    /// Those that play it with any arguments.
    let radios: [RadioKind]
    /// Those that play it with some arguments.
    var limitedRadios: [RadioKind] = []
    /// The arguments that `limitedRadios` accept.
    var condition = ""
    /// Those that play a part of it, which is enough to serve, but not to judge a client.
    var partialRadios: [RadioKind] = []
    /// The part that they play.
    var part = ""
    /// The part that they do not play.
    var rest = ""
    /// Why the other radios cannot play it.
    let reason: String
    fileprivate var isAccepted: @Sendable (Action) -> Bool = { _ in false }
    fileprivate var ignored: @Sendable (RadioKind, Action.Operation) -> String? = { _, _ in nil }

    static let all = Self(radios: RadioKind.allCases, reason: "")
    /// All, but bluetoothd ignores an argument of some operations.
    static func all(
        exceptForBluetoothd argument: String, when isIgnored: @escaping @Sendable (Action.Operation) -> Bool
    ) -> Self {
        var support = Self.all
        support.ignored = { $0 == .bluetoothd && isIgnored($1) ? argument : nil }
        return support
    }
    /// Only with the virtual controllers.
    static func virtualRadio(_ reason: String) -> Self { Self(radios: [.rehearsal, .virtual], reason: reason) }
    /// With the virtual controllers; on others in part.
    static func virtualRadio(_ reason: String, inPartOnControllers part: String, without rest: String) -> Self {
        var support = Self.virtualRadio(reason)
        (support.partialRadios, support.part, support.rest) = ([.controllers], part, rest)
        return support
    }
    static func builtInClient(_ reason: String) -> Self { Self(radios: [.rehearsal], reason: reason) }
    /// With the built-in client; some actions with any client.
    static func builtInClient(
        orAnyClient condition: String, _ isAccepted: @escaping @Sendable (Action) -> Bool, reason: String
    ) -> Self {
        Self(
            radios: [.rehearsal], limitedRadios: [.virtual, .controllers, .bluetoothd], condition: condition,
            reason: reason,
            isAccepted: isAccepted)
    }
    /// With the built-in client; some actions with any client on the virtual radio.
    static func builtInClient(
        orVirtualRadio condition: String, _ isAccepted: @escaping @Sendable (Action) -> Bool, reason: String
    ) -> Self {
        Self(
            radios: [.rehearsal], limitedRadios: [.virtual], condition: condition, reason: reason,
            isAccepted: isAccepted)
    }
    /// Only where the devices have Lubdub's host.
    static let hostControl = Self.allBut([.bluetoothd], reason: "bluetoothd controls this")

    static func allBut(_ radios: [RadioKind], reason: String) -> Self {
        Self(radios: RadioKind.allCases.filter { !radios.contains($0) }, reason: reason)
    }

    static func allBut(
        _ radios: [RadioKind], allows condition: String,
        _ isAccepted: @escaping @Sendable (Action) -> Bool, reason: String
    ) -> Self {
        Self(
            radios: RadioKind.allCases.filter { !radios.contains($0) }, limitedRadios: radios, condition: condition,
            reason: reason, isAccepted: isAccepted)
    }

    /// Why a radio cannot play an action; nil if it can.
    func unsupportedReason(_ radio: RadioKind, _ action: Action) -> String? {
        radios.contains(radio) || partialRadios.contains(radio) || (limitedRadios.contains(radio) && isAccepted(action))
            ? nil : reason
    }

    /// The part of an action that a radio does not play; nil if it plays all or nothing.
    func missingPart(_ radio: RadioKind) -> String? { partialRadios.contains(radio) ? rest : nil }

    /// The argument that a radio ignores; nil if it plays the whole operation.
    func ignoredArgument(_ radio: RadioKind, _ operation: Action.Operation) -> String? { ignored(radio, operation) }

    /// For a table: whether a radio plays the action, or the arguments or the part that it plays.
    func extent(on radio: RadioKind) -> String {
        if radios.contains(radio) { return "yes" }
        if limitedRadios.contains(radio) { return condition }
        if partialRadios.contains(radio) { return part }
        return radio == .virtual && radios.contains(.rehearsal) ? "built-in client" : "no"
    }

    /// `virtual radio, hci; bluez without …`.
    package var description: String {
        if radios.count == RadioKind.allCases.count { return "all" }
        var names = radios.map(\.name)
        if radios.contains(.virtual) { names.removeAll { $0 == RadioKind.rehearsal.name } }
        names += limitedRadios.map { "\($0.name) \(condition)" } + partialRadios.map { "\($0.name) \(part)" }
        return names.joined(separator: ", ")
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
