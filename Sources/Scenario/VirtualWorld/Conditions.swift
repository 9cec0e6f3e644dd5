import Scenarios

/// The lasting actions on a device or on the client: the latest of each kind on each entity.
struct Conditions: Sendable {
    private(set) var actions: [Action] = []  // in the order in which they began

    /// Adds an action; it replaces one of the same kind on the same entity.
    mutating func begin(_ action: Action) {
        end(action)
        actions.append(action)
    }

    /// Removes the action of the same kind on the same entity.
    mutating func end(_ action: Action) {
        actions.removeAll { $0.kind == action.kind && $0.entity == action.entity }
    }

    /// The entities with an action of a kind, in the order in which the actions began.
    func entities(_ kind: Action.Kind) -> [EntityReference] { actions.compactMap { $0.kind == kind ? $0.entity : nil } }

    func has(_ kind: Action.Kind) -> Bool { actions.contains { $0.kind == kind } }

    func last(_ kind: Action.Kind) -> Action.Operation? { actions.last { $0.kind == kind }?.operation }
}
