/// The steps of each day of a month, as far as they were seen.
///
/// Devices say how many steps came today, and how many since the start, but not which day it is. Theirs ends when the
/// steps of today become fewer, or when those of all earlier days (the difference of both) become more: the client's own
/// calendar only says which day the new one is at the earliest. So a device whose days begin at 04:00, or whose clock
/// runs ahead, is followed; a day without any step is not noticed if the clock here does not tell it.
struct MonthOfSteps {
    static let goal: UInt32 = 10_000
    /// Both counts are read one after the other: somebody may walk meanwhile.
    private static let slack: Int64 = 100

    private(set) var day: CalendarDay
    private(set) var steps: [UInt32?]
    private var earlier: Int64?  // steps of all days before `day`

    /// With nothing seen yet.
    init(_ day: CalendarDay) {
        self.day = day
        steps = Array(repeating: nil, count: day.daysOfMonth)
    }

    /// Of the day that goes on.
    var today: UInt32? { steps[day.day - 1] }

    var total: UInt64 { steps.reduce(0) { $0 + UInt64($1 ?? 0) } }

    /// One for each `goal` of a day.
    func badges(of day: Int) -> Int { steps.indices.contains(day - 1) ? Int((steps[day - 1] ?? 0) / Self.goal) : 0 }

    var badges: Int { (1...steps.count).reduce(0) { $0 + badges(of: $1) } }

    /// The device says how many steps came today, and may have said how many came at all; here it is `date`.
    mutating func take(today: UInt32, total: UInt32?, on date: CalendarDay) {
        let former = self.today
        let before = total.map { Int64($0) - Int64(today) }
        var hasEnded = former.map { today < $0 } ?? false
        if let before, let earlier, before > earlier + Self.slack { hasEnded = true }
        if hasEnded {
            begin(max(day.next, date))
            earlier = before
        } else {
            if former ?? 0 == 0, today == 0 { begin(max(day, date)) }
            if let before { earlier = max(before, earlier ?? before) }
        }
        steps[day.day - 1] = today
    }

    private mutating func begin(_ new: CalendarDay) {
        if (new.year, new.month) == (day.year, day.month) { day = new } else { self = MonthOfSteps(new) }
    }
}

/// Whose steps they are: what distance and calories are computed with.
public struct BodyMeasurements: Equatable, Sendable {
    /// In centimetres.
    public var height: Int
    /// In kilograms.
    public var weight: Int

    /// An adult of 170 cm and 70 kg, unless said otherwise.
    public init(height: Int = 170, weight: Int = 70) { (self.height, self.weight) = (height, weight) }

    /// In metres: a step is taken to be 0.414 × height, as pedometers do that know nothing else (between the customary
    /// 0.413 for women and 0.415 for men).
    func distance(steps: UInt64) -> Double { Double(steps) * 0.414 * Double(height) / 100 }

    /// In kilocalories, above those of rest: walking on level ground takes 0.1 ml of oxygen for each kilogram and metre,
    /// whatever the speed, and a litre of oxygen gives 5 kcal. Walking equation of the American College of Sports
    /// Medicine: B. A. Bushman, "Metabolic Calculations in Action: Part 1", ACSM's Health & Fitness Journal 24 (3), 2020.
    func calories(steps: UInt64) -> Double { distance(steps: steps) * 0.0001 * Double(weight) * 5 }
}
