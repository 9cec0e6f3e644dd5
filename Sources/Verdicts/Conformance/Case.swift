public import Arguments
public import Documents

/// One scenario, and how it is played: a world of its own, in which nothing of other cases is.
public struct Case: Identifiable, Hashable, Sendable {
    /// What reports call it, unlike all others of the run.
    public internal(set) var id: String
    /// The path of the scenario.
    public let path: String
    /// Instead of the scenario's own.
    public let seed: UInt64?
    /// Instead of the scenario's own values.
    public let variables: [String: Node]
    /// The word of the command line that it comes from: a scenario, a suite or a folder.
    public let operand: String
    /// Its id where that word stands alone.
    public let ownID: String
    /// Whether that word is the scenario itself.
    public let isOperand: Bool

    /// The scenario that a word of the command line is.
    init(of operand: String) {
        let id = Self.id(of: operand)
        (self.id, ownID, path, self.operand) = (id, id, operand, operand)
        (seed, variables, isOperand) = (nil, [:], true)
    }

    /// The case `id` of a suite or a folder that the command line calls `operand`.
    public init(_ id: String, path: String, seed: UInt64? = nil, variables: [String: Node] = [:], of operand: String) {
        (self.id, ownID, self.path, self.seed) = (id, id, path, seed)
        (self.variables, self.operand, isOperand) = (variables, operand, false)
    }

    /// What a case is called whose scenario stands at a path: that without `.json`.
    public static func id(of path: String) -> String { path.hasSuffix(".json") ? String(path.dropLast(5)) : path }
}

/// Which cases of many are played.
public struct Selection: Sendable {
    /// One of several parts of about the same size, which together are everything: `2/4`.
    public struct Shard: Hashable, Sendable {
        private let part: Int
        private let count: Int

        /// Nil unless it is written `I/N`, with I from 1 to N.
        public init?(_ text: String) {
            let words = text.split(separator: "/", omittingEmptySubsequences: false)
            guard words.count == 2, text.utf8.allSatisfy({ $0 == 0x2F || 0x30...0x39 ~= $0 }), let part = Int(words[0]),
                let count = Int(words[1]), part >= 1, part <= count
            else { return nil }
            (self.part, self.count) = (part, count)
        }

        /// Whether the case at this place, counted from 0, belongs to it.
        func contains(_ place: Int) -> Bool { place % count == part - 1 }
    }

    private let ids: [Glob]
    private let shard: Shard?

    /// The cases whose ids are like one of `ids`, and of these every one that belongs to `shard`; none and nil mean all.
    public init(only ids: [Glob], _ shard: Shard?) { (self.ids, self.shard) = (ids, shard) }

    /// Those that are played, in their order.
    public func chosen<Item: Identifiable>(of cases: [Item]) -> [Item] where Item.ID == String {
        let wanted = ids.isEmpty ? cases : cases.filter { item in ids.contains { $0.matches(item.id) } }
        guard let shard else { return wanted }
        return wanted.enumerated().filter { shard.contains($0.offset) }.map(\.element)
    }
}
