import Testing

@testable import Screens

@Suite struct MonthOfStepsTests {
    @Test(arguments: [
        ("2024-02-29", true), ("2023-02-29", false), ("2026-99-99", false), ("2026-00-10", false), ("2026-1-1", false),
        ("2026-01-01 ", false), ("+026-01-01", false), ("", false), ("0000-01-01", false), ("9999-12-31", true),
    ])
    func `A day is written as year, month and day, and exists`(text: String, isDay: Bool) {
        #expect((CalendarDay(text) != nil) == isDay)
    }

    private func day(_ month: Int, _ day: Int) throws -> CalendarDay {
        try #require(CalendarDay(year: 2024, month: month, day: day))
    }

    /// What each value of Steps Today, with Steps, on a day of March, is taken for: the day, and the steps of all days.
    private func check(
        _ values: [(today: UInt32, total: UInt32?, on: Int, day: Int)], _ expected: [Int: UInt32],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        var month = MonthOfSteps(try day(3, values.first?.on ?? 1))
        for (today, total, date, day) in values {
            month.take(today: today, total: total, on: try self.day(3, date))
            #expect(month.day.day == day, "\(today) of \(total ?? 0)", sourceLocation: location)
        }
        for (day, steps) in zip(1..., month.steps) {
            #expect(steps == expected[day], "day \(day)", sourceLocation: location)
        }
    }

    @Test func `a day ends with the client's`() throws {
        try check(
            [(500, 500, 1, 1), (8124, 8124, 1, 1), (0, 8124, 2, 2), (0, 8124, 3, 3), (10, 8134, 3, 3)],
            [1: 8124, 2: 0, 3: 10])
    }

    @Test func `a device's day ends later than the client's`() throws {
        try check([(8124, nil, 1, 1), (8130, nil, 2, 1), (3, nil, 2, 2), (9, nil, 3, 2)], [1: 8130, 2: 9])
    }

    @Test func `a device whose clock runs ahead is followed`() throws {
        try check(
            [
                (8124, 8124, 1, 1), (0, 8124, 1, 2), (10000, 18124, 1, 2), (9999, 28123, 1, 3), (20411, 48534, 1, 4),
                (12005, 60539, 1, 5),
            ], [1: 8124, 2: 10000, 3: 9999, 4: 20411, 5: 12005])
    }

    @Test func `a day ends with more steps if the total shows it`() throws {
        try check([(100, 100, 1, 1), (200, 8200, 2, 2)], [1: 100, 2: 200])
    }

    @Test func `counts that were read in succession begin no day`() throws {
        try check(
            [(100, 105, 1, 1), (130, 120, 1, 1), (500, 120, 1, 1), (2000, 120, 1, 1), (2000, 2005, 1, 1)], [1: 2000])
    }

    @Test func `after the last day another month begins`() throws {
        var month = MonthOfSteps(try day(12, 31))
        month.take(today: 20_000, total: nil, on: try day(12, 31))
        #expect((month.badges, month.total) == (2, 20_000))
        month.take(today: 5, total: nil, on: try day(12, 31))
        #expect(month.day == CalendarDay(year: 2025, month: 1, day: 1))
        #expect((month.badges, month.total, month.today) == (0, 5, 5))
    }

    @Test(arguments: [(0, 0), (9999, 0), (10_000, 1), (19_999, 1), (20_000, 2), (UInt32.max, 429_496)])
    func `a badge for each ten thousand`(steps: UInt32, badges: Int) throws {
        var month = MonthOfSteps(try day(3, 1))
        month.take(today: steps, total: nil, on: try day(3, 1))
        #expect(month.badges(of: 1) == badges)
        #expect(month.badges(of: 2) == 0 && month.badges(of: 0) == 0 && month.badges(of: 32) == 0)
    }
}

@Suite struct CalendarDayTests {
    @Test func `days that there are`() {
        for (year, month, day) in [(2024, 2, 29), (2000, 2, 29), (2023, 12, 31), (1, 1, 1)] {
            #expect(CalendarDay(year: year, month: month, day: day) != nil)
        }
        for (year, month, day) in [
            (2023, 2, 29), (1900, 2, 29), (2024, 4, 31), (2024, 0, 1), (2024, 13, 1), (2024, 1, 0), (0, 1, 1),
            (.max, 1, 1), (2024, .min, 1),
        ] { #expect(CalendarDay(year: year, month: month, day: day) == nil) }
    }

    @Test func `each is followed by the next`() {
        var day = CalendarDay.first
        for _ in 0..<738_000 { day = day.next }  // 2021-07-30 is day 738,000 when 0001-01-01 is day 0
        #expect(CalendarDay(year: 2021, month: 7, day: 30) == day)
        #expect(CalendarDay(year: 9999, month: 12, day: 31)?.next == CalendarDay(year: 9999, month: 12, day: 31))
    }
}

@Suite struct BodyTests {
    @Test func `distance and calories of ten thousand steps`() {
        // 10,000 × 0.414 × 1.70 m = 7038 m; × 0.1 ml/kg/m × 70 kg = 49.27 l of oxygen, of 5 kcal each.
        #expect(abs(BodyMeasurements().distance(steps: 10_000) - 7038) < 0.001)
        #expect(abs(BodyMeasurements().calories(steps: 10_000) - 246.33) < 0.001)
        let other = BodyMeasurements(height: 200, weight: 100)
        #expect(abs(other.calories(steps: 1000) - 41.4) < 0.001)
    }
}
