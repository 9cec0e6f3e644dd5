package import ScenarioModel

extension RadioKind {
    /// Why an action cannot be played; nil if it can.
    package func unsupportedReason(for action: Action) -> String? {
        action.kind.row.support.unsupportedReason(self, action)
    }

    /// The part of an action that this radio does not play; nil if it plays all or nothing.
    package func missingPart(of action: Action) -> String? { action.kind.row.support.missingPart(self) }

    /// The argument of an action that this radio ignores; nil if there is none.
    package func ignoredArgument(of action: Action) -> String? {
        action.kind.row.support.ignoredArgument(self, action.operation)
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
