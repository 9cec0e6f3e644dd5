/// A day of the Gregorian calendar.
package struct CalendarDay: Hashable, Comparable, Sendable {
    /// Such as 2024.
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int

    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999) ~= year, (1...12) ~= month, (1...Self.days(inMonth: month, of: year)) ~= day else {
            return nil
        }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Nil unless it is written `2024-02-29`, and exists.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], parts.joined().allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        let numbers = parts.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        self.init(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    /// 0001-01-01.
    package static let first = CalendarDay()

    private init() { (year, month, day) = (1, 1, 1) }

    package var next: CalendarDay {
        CalendarDay(year: year, month: month, day: day + 1) ?? CalendarDay(year: year, month: month + 1, day: 1)
            ?? CalendarDay(year: year + 1, month: 1, day: 1) ?? self
    }

    var daysOfMonth: Int { Self.days(inMonth: month, of: year) }

    /// `March 2024`.
    var monthName: String {
        let names = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        return "\(names[month - 1]) \(year)"
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Whether `left` is earlier.
    package static func < (left: CalendarDay, right: CalendarDay) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}
