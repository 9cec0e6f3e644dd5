/// Which case is played next, and what came of those that have ended; several may be played at once.
///
/// Whatever plays a case gets nothing of others, and what goes wrong with one is an outcome: the others go on.  A case
/// that this machine has spoilt is played once more, alone, when all others have ended; then only that counts.
public struct CaseRunner<Item: Identifiable & Sendable>: Sendable where Item.ID == String {
    /// A case that is being played.
    public struct Turn: Sendable {
        /// What is played.
        public let item: Item
        /// Whether it is played once more, since the first time was spoilt.
        public let isSecond: Bool
        /// Among the cases, in the suite's order.
        public let place: Int
    }

    private let cases: [Item]
    private let empty: Report
    private var outcomes: [Outcome?]
    private var waiting: ArraySlice<Int>
    private var spoilt: [Int] = []
    private var playing = 0

    /// Nothing has been played yet; `report` is what there is to say of all cases.
    public init(_ cases: [Item], into report: Report) {
        (self.cases, empty, waiting) = (cases, report, Array(cases.indices)[...])
        outcomes = Array(repeating: nil, count: cases.count)
    }

    /// A case that can be played now; nil when there is none, or none before one of those that are being played has
    /// ended.
    public mutating func next() -> Turn? {
        if let place = waiting.popFirst() {
            playing += 1
            return Turn(item: cases[place], isSecond: false, place: place)
        }
        guard playing == 0, !spoilt.isEmpty else { return nil }
        playing += 1
        let place = spoilt.removeFirst()
        return Turn(item: cases[place], isSecond: true, place: place)
    }

    /// Takes what came of a turn.
    ///
    /// - Parameters:
    ///   - turn: One that `next` gave.
    ///   - outcome: Nil when it was interrupted: then only what was found out before counts.
    ///   - isSpoilt: Whether this machine kept something from being decided.
    /// - Returns: Whether the case has ended; it has not if it is to be played once more, or was interrupted.
    public mutating func ended(_ turn: Turn, _ outcome: Outcome?, isSpoilt: Bool = false) -> Bool {
        playing -= 1
        guard let outcome else { return false }
        outcomes[turn.place] = outcome
        guard isSpoilt, !turn.isSecond else { return true }
        spoilt.append(turn.place)
        return false
    }

    /// Whether there is one that has still to be played.
    public var hasNext: Bool { !waiting.isEmpty || !spoilt.isEmpty }

    /// How many have an outcome.
    public var count: Int { outcomes.count { $0 != nil } }

    /// What came of those that have ended, in the suite's order.
    public var report: Report {
        var report = empty
        for (item, outcome) in zip(cases, outcomes) {
            if let outcome { report.add(item.id, outcome) }
        }
        return report
    }
}
