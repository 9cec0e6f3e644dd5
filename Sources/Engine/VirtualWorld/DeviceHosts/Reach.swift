package import ScenarioModel

/// How far an action is carried out.
package enum Reach: Sendable {
    case whole
    /// Without the effect of this argument in some operations.
    case ignoring(String, when: @Sendable (Action.Operation) -> Bool)
    /// A part of it, which is enough to serve, but not to judge a client; and the part that is missing.
    case part(String, missing: String)
    /// Only with some arguments, which the text describes; else not at all, for a reason.
    case only(String, else: String, where: @Sendable (Action) -> Bool)
    /// Not at all, for a reason.
    case impossible(String)
}

// The reach of a radio follows from the hosts of its devices, and from whose client it reaches.
extension RadioKind {
    /// How far an action is carried out on this radio.
    package func reach(of kind: Action.Kind) -> Reach {
        if kind.concernsSystem { return self == .system ? .whole : .impossible(Reach.onlyPlayedSystems) }
        return switch self {
        case .rehearsal: .whole
        case .virtual, .system: SimulatedHost.reach(of: kind)
        case .controllers: ControllerHost.reach(of: kind)
        case .bluetoothd: AttributeHost.reach(of: kind)
        }
    }

    /// Why an action cannot be played; nil if it can.
    package func unsupportedReason(for action: Action) -> String? {
        switch reach(of: action.kind) {
        case .impossible(let reason): reason
        case .only(_, let reason, let isPossible): isPossible(action) ? nil : reason
        case .whole, .ignoring, .part: nil
        }
    }

    /// The part of an action that this radio does not play; nil if it plays all or nothing.
    package func missingPart(of action: Action) -> String? {
        if case .part(_, let missing) = reach(of: action.kind) { missing } else { nil }
    }

    /// The argument of an action that this radio ignores; nil if there is none.
    package func ignoredArgument(of action: Action) -> String? {
        guard case .ignoring(let argument, let isIgnored) = reach(of: action.kind) else { return nil }
        return isIgnored(action.operation) ? argument : nil
    }

    /// The key of an action that this radio does not play, and the reason; nil if it plays the whole action, or a part of it.
    package func refusal(of action: Action) -> (key: String, reason: String)? {
        if let reason = unsupportedReason(for: action) { return ("do", reason) }
        return ignoredArgument(of: action).map { ($0, "not possible over BlueZ: bluetoothd controls this") }
    }
}

extension Scenario {
    /// The indices of the rules that a radio cannot play, and the reasons: they never begin.
    package func unplayable(on radio: RadioKind) -> [(rule: Int, reason: String)] {
        script.enumerated().compactMap { index, rule in
            radio.unsupportedReason(for: rule.action).map { (index, $0) }
        }
    }
}

extension [Action.Kind: Reach] {
    /// Of actions on a client that is not the built-in one.
    static let atExternalClient: Self = [
        .unconfirmed: .impossible("only the built-in client can be told not to confirm"),
        .forgetBond: .only(
            "with `\"side\": \"device\"`", else: "only the built-in client can lose keys on request",
            where: { $0.operation == .forgetBond(.device) }),
        .user: .only("for a device", else: Reach.onlyOwnUsers, where: { $0.entity != .client }),
    ]

    /// Of actions that need the virtual radio.
    static let onRealRadio: Self = [
        .loss: .impossible("real packets cannot be lost on request"),
        .powerOff: .impossible("the client's controller is not under Lubdub's control"),
        .connect: .impossible("a second central needs the virtual radio"),
    ]

    func merging(_ others: Self) -> Self { merging(others) { _, other in other } }
}

extension Reach {
    static let onlyPlayedSystems = "only a program of a bluetoothd that Lubdub plays can meet this: use --system bluez"
    static let onlyOwnUsers = "only the users of simulated devices and of the built-in client answer by themselves"
}
