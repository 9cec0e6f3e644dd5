/// Hands out cases, several at once if wished, and collects their outcomes.
///
/// A case that this machine disturbed runs once more, alone, after all others; then only the second outcome counts.
package struct CaseRunner<Item: Identifiable & Sendable>: Sendable where Item.ID == String {
    package struct Turn: Sendable {
        package let item: Item
        /// Whether it runs again because the first run was disturbed.
        package let isSecond: Bool
        package let place: Int
    }

    private let cases: [Item]
    /// The report without cases.
    package var empty: Report
    private let runOfCase: @Sendable (Item) -> CampaignRun?
    private var outcomes: [Outcome?]
    /// The number of cases that have an outcome.
    package private(set) var count = 0
    private var waiting: ArraySlice<Int>
    private var disturbed: ArraySlice<Int> = []
    private var playing = 0
    /// The place of the last case in the report.
    private var last = Int.max

    /// A runner of these cases, in the order of their `rank`; `report` is empty and has the version and the seed.
    /// `runOfCase` returns which run of several an item is.
    package init(
        _ cases: [Item], into report: Report, rank: (Item) -> Int = { _ in 0 },
        runOfCase: @escaping @Sendable (Item) -> CampaignRun? = { _ in nil }
    ) {
        let places = cases.indices.sorted { (rank(cases[$0]), $0) < (rank(cases[$1]), $1) }
        (self.cases, empty, waiting) = (cases, report, places[...])
        self.runOfCase = runOfCase
        outcomes = Array(repeating: nil, count: cases.count)
    }

    /// The next case to run; nil if there is none, or none until a running one ends.
    package mutating func next() -> Turn? {
        if let place = waiting.popFirst() {
            playing += 1
            return Turn(item: cases[place], isSecond: false, place: place)
        }
        guard playing == 0, let place = disturbed.popFirst() else { return nil }
        playing += 1
        return Turn(item: cases[place], isSecond: true, place: place)
    }

    /// Takes the outcome of a turn.
    ///
    /// - Parameters:
    ///   - turn: From `next`.
    ///   - outcome: Nil if it was interrupted; then an earlier outcome counts.
    ///   - isDisturbed: Whether this machine's load made the outcome inconclusive.
    /// - Returns: Whether the case has ended: not if it runs again or was interrupted.
    package mutating func ended(_ turn: Turn, _ outcome: Outcome?, isDisturbed: Bool = false) -> Bool {
        playing -= 1
        guard let outcome, turn.place <= last else { return false }
        if outcomes[turn.place] == nil { count += 1 }
        outcomes[turn.place] = outcome
        guard isDisturbed, !turn.isSecond else { return true }
        disturbed.append(turn.place)
        return false
    }

    /// Ends the report with the case of a turn, and runs no more.
    package mutating func end(after turn: Turn) {
        last = turn.place
        for place in outcomes.indices where place > last && outcomes[place] != nil {
            outcomes[place] = nil
            count -= 1
        }
        (waiting, disturbed) = ([], [])
    }

    /// Whether any case remains to be run.
    package var hasNext: Bool { !waiting.isEmpty || !disturbed.isEmpty }

    /// The cases that were not handed out yet.
    package var remaining: [Item] { (waiting + disturbed).map { cases[$0] } }

    /// The outcomes, in the suite's order.
    package var report: Report {
        var report = empty
        for (item, outcome) in zip(cases, outcomes) {
            if let outcome { report.add(item.id, outcome, run: runOfCase(item)) }
        }
        return report
    }
}
