/// The observed steps of each day of a month.
///
/// Devices report today's steps and the total, but no date. A new day starts when today's steps decrease, or when the
/// steps of earlier days (total minus today) increase; the local calendar only gives the earliest date. This follows
/// devices whose day starts at 04:00 or whose clock is fast; a day without steps is found by the local calendar only.
struct MonthOfSteps {
    static let goal: UInt32 = 10_000
    /// The tolerance for steps between the reads of the two counts.
    private static let slack: Int64 = 100

    package private(set) var day: CalendarDay
    package private(set) var steps: [UInt32?]
    private var earlier: Int64?  // steps of all days before `day`

    /// An empty month.
    init(_ day: CalendarDay) {
        self.day = day
        steps = Array(repeating: nil, count: day.daysOfMonth)
    }

    var today: UInt32? { steps[day.day - 1] }

    package var total: UInt64 { steps.reduce(0) { $0 + UInt64($1 ?? 0) } }

    /// The number of times that a day reached `goal`.
    func badges(of day: Int) -> Int { steps.indices.contains(day - 1) ? Int((steps[day - 1] ?? 0) / Self.goal) : 0 }

    var badges: Int { (1...steps.count).reduce(0) { $0 + badges(of: $1) } }

    /// Takes today's steps and, if known, the total; `date` is the local date.
    package mutating func take(today: UInt32, total: UInt32?, on date: CalendarDay) {
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

/// Height and weight, for distance and calories.
package struct BodyMeasurements: Equatable, Sendable {
    /// In centimetres.
    package var height: Int
    /// In kilograms.
    package var weight: Int

    /// Defaults to 170 cm and 70 kg.
    package init(height: Int = 170, weight: Int = 70) { (self.height, self.weight) = (height, weight) }

    /// The distance in metres: the length of a step is 0.414 × height, between the usual 0.413 for women and 0.415 for men.
    package func distance(steps: UInt64) -> Double { Double(steps) * 0.414 * Double(height) / 100 }

    /// The energy above rest in kilocalories: level walking takes 0.1 ml of oxygen per kilogram and metre at any speed, and
    /// a litre of oxygen gives 5 kcal. Walking equation of the American College of Sports
    /// Medicine: B. A. Bushman, "Metabolic Calculations in Action: Part 1", ACSM's Health & Fitness Journal 24 (3), 2020.
    package func calories(steps: UInt64) -> Double { distance(steps: steps) * 0.0001 * Double(weight) * 5 }
}
