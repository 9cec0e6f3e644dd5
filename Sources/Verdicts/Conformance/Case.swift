package import Basics
package import Documents

/// A scenario with its seed and variables, played in a separate world.
package struct Case: Identifiable, Hashable, Sendable {
    /// Its name in reports, unique in a run.
    package internal(set) var id: String
    package let path: String
    /// Overrides the scenario's seed.
    package internal(set) var seed: UInt64?
    /// Override the scenario's values.
    package let variables: [String: Node]
    /// The command-line operand that it comes from: a scenario, a suite or a folder.
    package let operand: String
    /// Its id within that operand.
    package let ownID: String
    /// Whether that operand is the scenario itself.
    package let isOperand: Bool
    /// Which of its runs this is; nil if it runs once.
    package internal(set) var run: CampaignRun?

    init(of operand: String) {
        let id = Self.id(of: operand)
        (self.id, ownID, path, self.operand) = (id, id, operand, operand)
        (seed, variables, isOperand, run) = (nil, [:], true, nil)
    }

    /// A case of a suite or a folder; `id` is its name there.
    package init(_ id: String, path: String, seed: UInt64? = nil, variables: [String: Node] = [:], of operand: String) {
        (self.id, ownID, self.path, self.seed) = (id, id, path, seed)
        (self.variables, self.operand, isOperand, run) = (variables, operand, false, nil)
    }

    /// Its id without the seed and the number of a run.
    package var caseID: String { run?.caseID ?? id }

    /// The id of a scenario's case: its path without `.json`.
    package static func id(of path: String) -> String { path.hasSuffix(".json") ? String(path.dropLast(5)) : path }
}

package struct Selection: Sendable {
    private let ids: [Glob]
    private let shard: Shard?

    /// Selects the cases whose ids match any of `ids` (all if empty), and of these the ones in `shard` (all if nil).
    package init(only ids: [Glob], _ shard: Shard?) { (self.ids, self.shard) = (ids, shard) }

    package func chosen<Item: Identifiable>(of cases: [Item]) -> [Item] where Item.ID == String {
        let matching = ids.isEmpty ? cases : cases.filter { item in ids.contains { $0.matches(item.id) } }
        guard let shard else { return matching }
        return matching.enumerated().filter { shard.contains($0.offset) }.map(\.element)
    }
}
