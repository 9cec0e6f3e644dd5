package import ScenarioModel
import VirtualWorld

extension Scenario {
    /// The parts of the script that a radio does not play, as reasons not to judge a client; empty if it plays all.
    package func unplayed(on radio: RadioKind) -> [String] {
        let ignored = script.enumerated().compactMap { rule, it in
            radio.ignoredArgument(of: it.action).map { (rule, "bluetoothd controls \"\($0)\"") }
                ?? radio.missingPart(of: it.action).map { (rule, $0) }
        }
        return (unplayable(on: radio) + ignored).map { rule, why in
            "script[\(rule)], \(script[rule].action.kind.rawValue): \(why)"
        }
    }
}
