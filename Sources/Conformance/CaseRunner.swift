/// Plays cases one after the other and keeps what came of each.
///
/// Whatever plays a case gets nothing of those before, and what goes wrong with one is an outcome: the others go on.
public struct CaseRunner {
    /// What came of those that have ended.
    public private(set) var report: Report
    /// Those that are left, in their order.
    public private(set) var waiting: ArraySlice<Case>

    /// Nothing has been played yet.
    public init(_ cases: [Case], into report: Report) { (self.report, waiting) = (report, cases[...]) }

    /// Plays the next case.
    ///
    /// - Parameter play: Plays one in a world of its own; nil when that was interrupted before the case had ended.
    /// - Returns: What stands in the report now; nil when nothing was left, or the case was interrupted: it is in no
    ///   report, and still waiting.
    public mutating func playNext(_ play: (Case) -> Outcome?) -> Report.Entry? {
        guard let next = waiting.first, let outcome = play(next) else { return nil }
        waiting.removeFirst()
        return report.add(next.id, outcome)
    }
}
