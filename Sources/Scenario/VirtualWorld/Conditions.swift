import Scenarios

/// What the script does to a device, or to the client, now: the last that began of each kind on each thing.
struct Conditions: Sendable {
    private(set) var actions: [Action] = []  // in the order in which they began

    /// Takes the place of what has the same kind and thing.
    mutating func begin(_ action: Action) {
        end(action)
        actions.append(action)
    }

    /// Ends what has the same kind and thing.
    mutating func end(_ action: Action) {
        actions.removeAll { $0.kind == action.kind && $0.entity == action.entity }
    }

    /// To what something of a kind is done, in the order in which it began.
    func entities(_ kind: Action.Kind) -> [EntityReference] { actions.compactMap { $0.kind == kind ? $0.entity : nil } }

    /// Whether anything of a kind is done.
    func has(_ kind: Action.Kind) -> Bool { actions.contains { $0.kind == kind } }

    /// What began last of a kind.
    func last(_ kind: Action.Kind) -> Action.Operation? { actions.last { $0.kind == kind }?.operation }
}
