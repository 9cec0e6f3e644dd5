/// A local date and time.
package struct WallTime: Hashable, Sendable {
    /// Seconds since 2000-01-01T00:00:00 local time; negative before.
    package var secondsSince2000: Int64
    package var minutesAheadOfUTC: Int

    /// A time in seconds since 2000-01-01T00:00:00 local time.
    package init(secondsSince2000: Int64, minutesAheadOfUTC: Int = 0) {
        (self.secondsSince2000, self.minutesAheadOfUTC) = (secondsSince2000, minutesAheadOfUTC)
    }
}

extension WallTime {
    /// `2024-03-01T23:50:00+01:00`, with `Z` for +00:00; nil for other text and for invalid dates.
    package init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 20 || digits.count == 25, Self.matches(digits, "0000-00-00T00:00:00") else { return nil }
        func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + Int($1) - 48 } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard (1...9999).contains(year), (1...12).contains(month), (1...Self.daysOf(month, year)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var ahead = 0
        if digits.count == 25 {
            guard Self.matches(Array(digits[20...]), "00:00"), digits[19] == 43 || digits[19] == 45,
                number(20..<22) < 24, number(23..<25) < 60
            else { return nil }
            ahead = (number(20..<22) * 60 + number(23..<25)) * (digits[19] == 45 ? -1 : 1)
        } else if digits[19] != 90 {
            return nil
        }
        let days = Self.daysSince2000(year, month, day)
        self.init(
            secondsSince2000: Int64(((days * 24 + hour) * 60 + minute) * 60 + second), minutesAheadOfUTC: ahead)
    }

    /// Whether octets match a form, in which 0 means any digit.
    private static func matches(_ octets: [UInt8], _ form: String) -> Bool {
        zip(octets, form.utf8).allSatisfy { $1 == 48 ? (48...57).contains($0) : $0 == $1 }
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func daysOf(_ month: Int, _ year: Int) -> Int {
        month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    private static func daysSince2000(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let past = year - 1
        let days = past * 365 + past / 4 - past / 100 + past / 400 - 730_119
        return days + (1..<month).reduce(0) { $0 + daysOf($1, year) } + day - 1
    }
}
