import Scenarios
import Simulation
import VirtualWorld

// What somebody outside does to a world: at a key, or on the control socket.
extension LiveWorld {
    /// What a radio cannot play of an action: the key that says it, and why; nil when it can play all.
    typealias Limits = @Sendable (Action) -> (key: String, reason: String)?

    /// What came of an action.
    enum Outcome: Sendable {
        /// It is done; or is not, because its `chance` has decided so.
        case done(Bool)
        /// The devices are not switched on.
        case notPlaying
        /// The radio cannot play what a key of it says, or it would come to nothing now.
        case refused(key: String, reason: String)
    }

    /// Does now what a rule says, under a name.
    func act(_ rule: Rule, as name: String) -> Outcome {
        guard isPlaying else { return .notPlaying }
        if let (key, reason) = limits(rule.action) { return .refused(key: key, reason: reason) }
        return visit { world, now in
            if let (key, reason) = world.ineffectiveReason(for: rule.action) {
                return .refused(key: key, reason: reason)
            }
            return .done(world.act(rule, as: name, at: now))
        }
    }
}
