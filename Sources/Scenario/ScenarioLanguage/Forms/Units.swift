import Basics
import Bluetooth
import Documents
package import ScenarioModel

/// Parses and writes durations, quantities and times.
package enum Units {
    /// A duration in the largest unit up to hours that gives a whole number: `1 s`, `7500 us`, `90 s`.
    package static func text(_ duration: Duration) -> String {
        let nanoseconds = Int128(duration.inNanoseconds)
        let (unit, factor) =
            Duration.units.last { $0.nanoseconds <= 3_600_000_000_000 && nanoseconds.isMultiple(of: $0.nanoseconds) }
            ?? Duration.units[0]
        return nanoseconds == 0 ? "0 s" : "\(nanoseconds / factor) \(unit)"
    }

    /// A duration in the largest unit up to seconds of which it has at least one: `7.5 ms`, `4 s`, `3600 s`.
    package static func short(_ duration: Duration) -> String {
        let nanoseconds = duration.inNanoseconds
        let (unit, factor) = Duration.units.prefix(3).last { $0.nanoseconds <= nanoseconds } ?? Duration.units[0]
        return "\((Double(nanoseconds) / Double(factor)).plain) \(unit)"
    }

    /// A number with a unit: `500 Hz`, `3 m`.
    package static func quantity(_ text: String, unit: String) -> Double? {
        guard let quantity = Quantity(text), quantity.unit == unit else { return nil }
        return quantity.number
    }

    /// `2024-03-01T23:50:00+01:00`, with `Z` for +00:00; nil for other text and for invalid dates.
    package static func wallTime(_ text: String) -> WallTime? {
        let digits = Array(text.utf8)
        guard digits.count == 20 || digits.count == 25, matches(digits, "0000-00-00T00:00:00") else { return nil }
        func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + Int($1) - 48 } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard (1...9999).contains(year), (1...12).contains(month), (1...daysOf(month, year)).contains(day), hour < 24,
            minute < 60, second < 60
        else { return nil }
        var ahead = 0
        if digits.count == 25 {
            guard matches(Array(digits[20...]), "00:00"), digits[19] == 43 || digits[19] == 45, number(20..<22) < 24,
                number(23..<25) < 60
            else { return nil }
            ahead = (number(20..<22) * 60 + number(23..<25)) * (digits[19] == 45 ? -1 : 1)
        } else if digits[19] != 90 {
            return nil
        }
        let days = daysSince2000(year, month, day)
        return WallTime(
            secondsSince2000: Int64(((days * 24 + hour) * 60 + minute) * 60 + second), minutesAheadOfUTC: ahead)
    }

    /// `07:30`.
    package static func timeOfDay(_ text: String) -> Duration? {
        let digits = Array(text.utf8)
        guard digits.count == 5, matches(digits, "00:00") else { return nil }
        let hour = Int(digits[0] - 48) * 10 + Int(digits[1] - 48)
        let minute = Int(digits[3] - 48) * 10 + Int(digits[4] - 48)
        return hour < 24 && minute < 60 ? .seconds((hour * 60 + minute) * 60) : nil
    }

    /// `07:30` for a time after midnight.
    package static func text(timeOfDay: Duration) -> String {
        let minutes = timeOfDay.inNanoseconds / 60_000_000_000
        return "\((minutes / 60).zeroPadded(to: 2)):\((minutes % 60).zeroPadded(to: 2))"
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
