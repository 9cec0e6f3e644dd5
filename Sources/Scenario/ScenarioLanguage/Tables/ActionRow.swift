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
    /// Why the other radios cannot play it.
    fileprivate let reason: String
    /// Those that play it with some arguments.
    private var limitedRadios: [RadioKind] = []
    /// The arguments that `limitedRadios` accept.
    private var condition = ""
    private var isAccepted: @Sendable (Action) -> Bool = { _ in false }
    /// Those that play a part of it, which is enough to serve, but not to judge a client.
    private var partialRadios: [RadioKind] = []
    /// The part that they play.
    private var part = ""
    /// The part that they do not play.
    fileprivate var rest = ""
    /// The argument of an operation that a radio ignores.
    fileprivate var ignored: @Sendable (RadioKind, Action.Operation) -> String? = { _, _ in nil }

    private init(_ radios: [RadioKind], reason: String) { (self.radios, self.reason) = (radios, reason) }

    static let all = Self(RadioKind.allCases, reason: "")
    /// Only with the virtual controllers.
    static func virtualRadio(_ reason: String) -> Self { Self([.rehearsal, .virtual], reason: reason) }
    static func builtInClient(_ reason: String) -> Self { Self([.rehearsal], reason: reason) }
    static func allBut(_ radio: RadioKind, reason: String) -> Self {
        Self(RadioKind.allCases.filter { $0 != radio }, reason: reason)
    }
    /// Only where the devices have Lubdub's host.
    static let hostControl = Self.allBut(.bluetoothd, reason: "bluetoothd controls this")

    /// Further radios play the actions that they accept.
    func or(
        _ radios: [RadioKind], _ condition: String, where isAccepted: @escaping @Sendable (Action) -> Bool
    ) -> Self {
        var support = self
        (support.limitedRadios, support.condition, support.isAccepted) = (radios, condition, isAccepted)
        return support
    }

    /// Controllers play a part of it.
    func orInPart(onControllers part: String, without rest: String) -> Self {
        var support = self
        (support.partialRadios, support.part, support.rest) = ([.controllers], part, rest)
        return support
    }

    /// Bluetoothd ignores an argument of some operations.
    func exceptForBluetoothd(
        _ argument: String, when isIgnored: @escaping @Sendable (Action.Operation) -> Bool
    ) -> Self {
        var support = self
        support.ignored = { $0 == .bluetoothd && isIgnored($1) ? argument : nil }
        return support
    }

    fileprivate func plays(_ action: Action, on radio: RadioKind) -> Bool {
        radios.contains(radio) || isInPart(on: radio) || (limitedRadios.contains(radio) && isAccepted(action))
    }

    fileprivate func isInPart(on radio: RadioKind) -> Bool { partialRadios.contains(radio) }

    /// For a table: whether a radio plays the action, or the arguments or the part that it plays.
    func extent(on radio: RadioKind) -> String {
        if radios.contains(radio) { return "yes" }
        if limitedRadios.contains(radio) { return condition }
        if isInPart(on: radio) { return part }
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

extension RadioKind {
    /// Why an action cannot be played; nil if it can.
    package func unsupportedReason(for action: Action) -> String? {
        let support = action.kind.row.support
        return support.plays(action, on: self) ? nil : support.reason
    }

    /// The part of an action that this radio does not play; nil if it plays all or nothing.
    package func missingPart(of action: Action) -> String? {
        let support = action.kind.row.support
        return support.isInPart(on: self) ? support.rest : nil
    }

    /// The argument of an action that this radio ignores; nil if there is none.
    package func ignoredArgument(of action: Action) -> String? {
        action.kind.row.support.ignored(self, action.operation)
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

extension Scenario {
    /// The indices of the rules that a radio cannot play, and the reasons.
    package func unplayable(on radio: RadioKind) -> [(rule: Int, reason: String)] {
        script.enumerated().compactMap { index, rule in
            radio.unsupportedReason(for: rule.action).map { (index, $0) }
        }
    }

    /// The scenario with a chance of 0 for each rule that a radio cannot play.
    package func limited(to radio: RadioKind) -> Scenario {
        var limited = self
        for (rule, _) in unplayable(on: radio) { limited.script[rule].chance = 0 }
        return limited
    }
}
