import Basics
package import ScenarioModel
import VirtualWorld

// Actions of a key or of the control socket.
extension LiveWorld {
    /// The result of an action.
    package enum Outcome: Sendable {
        /// It was performed; false if its `chance` decided against it.
        case done(Bool)
        case notPlaying
        /// The radio does not support the value of this key, or the action has no effect now.
        case refused(key: String, reason: String)
    }

    /// Performs the action of a rule now, under a name.
    package func act(_ rule: Rule, as name: String) -> Outcome {
        guard isPlaying else { return .notPlaying }
        return visit { world, now in
            if let (key, reason) = world.ineffectiveReason(for: rule.action) {
                return .refused(key: key, reason: reason)
            }
            return .done(world.act(rule, as: name, at: now))
        }
    }
}
