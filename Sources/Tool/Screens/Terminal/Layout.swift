/// The number of rows of each part of a screen; 0 for a part that does not fit or is empty.
struct Layout: Equatable {
    private(set) var header = 0
    private(set) var gap = 0
    private(set) var pulse = 0
    private(set) var statistics = 0
    private(set) var rhythm = 0
    private(set) var chart = 0
    package private(set) var ecg = 0
    package private(set) var steps = 0
    private(set) var footer = 0
    private var rest: Int

    static let largePulse = LargeDigits.height
    /// The minimum width for statistics next to large digits.
    package static let wide = 72
    /// Steps with the days of the month: two lines, bars, badges, and the numbers of the days.
    static let monthOfSteps = 6
    private static let tallestMonth = 9
    private static let smallestPlot = 3  // a title and two rows

    /// Distributes the rows by importance; the rest makes the charts taller.  `facts` are the single values.
    init(width: Int, height: Int, facts: Int, hasRhythm: Bool, hasECG: Bool, hasSteps: Bool) {
        rest = max(0, height)
        raise(\.pulse, to: 1)
        raise(\.header, to: 1)
        raise(\.chart, to: Self.smallestPlot)
        raise(\.statistics, to: 1)
        if hasECG { raise(\.ecg, to: Self.smallestPlot) }
        if hasSteps { raise(\.steps, to: 1) }
        raise(\.footer, to: 1)
        if hasRhythm { raise(\.rhythm, to: 1) }
        raise(\.pulse, to: Self.largePulse)
        if pulse == Self.largePulse, width >= Self.wide {
            rest += statistics
            statistics = 0
        }
        if pulse == Self.largePulse, facts > pulse { raise(\.pulse, to: facts) }
        raise(\.gap, to: 1)
        if hasSteps, width >= 40 { raise(\.steps, to: Self.monthOfSteps) }
        if steps >= Self.monthOfSteps, rest > 6 { raise(\.steps, to: min(Self.tallestMonth, steps + rest / 4)) }
        if hasECG { raise(\.ecg, to: ecg + rest / 2) }
        if chart > 0 { raise(\.chart, to: chart + rest) }
    }

    /// All of `rows`, or none.
    private mutating func raise(_ part: WritableKeyPath<Layout, Int>, to height: Int) {
        let more = height - self[keyPath: part]
        guard more <= rest else { return }
        rest -= more
        self[keyPath: part] = height
    }
}
