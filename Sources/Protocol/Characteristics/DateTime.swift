public import Basics

/// Date Time, 0x2A08: 7 octets.  GATT Specification Supplement, Date Time.
///
/// | Octets | Field   |                                            |
/// |--------|---------|--------------------------------------------|
/// | 2      | Year    | 1582 to 9999; 0: not known                 |
/// | 1      | Month   | 1 to 12; 0: not known                      |
/// | 1      | Day     | 1 to 31; 0: not known                      |
/// | 1      | Hours   | 0 to 23                                    |
/// | 1      | Minutes | 0 to 59                                    |
/// | 1      | Seconds | 0 to 59                                    |
///
/// There is no time zone.  The day is not checked against the length of the month; the specification does not either.
public struct DateTime: OctetCodable, Hashable, Sendable, CustomStringConvertible {
    /// 1582 to 9999, or 0.
    public let year: UInt16
    /// 1 to 12, or 0.
    public let month: UInt8
    /// 1 to 31, or 0.
    public let day: UInt8
    /// 0 to 23.
    public let hours: UInt8
    /// 0 to 59.
    public let minutes: UInt8
    /// 0 to 59.
    public let seconds: UInt8

    /// The Gregorian date and time of a number of seconds since 1970-01-01T00:00:00, without leap seconds; nil outside
    /// the years 1582 to 9999.
    public init?(secondsSince1970: Int64) {
        guard -12_244_089_600..<253_402_300_800 ~= secondsSince1970 else { return nil }
        let day: Int64 = 86400
        let second = (secondsSince1970 % day + day) % day
        let date = Self.date(daysSince1970: (secondsSince1970 - second) / day)
        (year, month, self.day) = date
        hours = UInt8(second / 3600)
        minutes = UInt8(second / 60 % 60)
        seconds = UInt8(second % 60)
    }

    /// Reads 7 octets; throws unless each field is in its range.
    public init(from reader: inout OctetReader) throws(Malformed) {
        year = try reader.uint16("Year")
        try reader.check(year == 0 || 1582...9999 ~= year, "Year", year, allowed: "0, or 1582 to 9999")
        func field(_ name: String, _ maximum: UInt8) throws(Malformed) -> UInt8 {
            let value = try reader.uint8(name)
            try reader.check(value <= maximum, name, value, allowed: "0 to \(maximum)")
            return value
        }
        month = try field("Month", 12)
        day = try field("Day", 31)
        hours = try field("Hours", 23)
        minutes = try field("Minutes", 59)
        seconds = try field("Seconds", 59)
    }

    /// Appends 7 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(year)
        octets += [month, day, hours, minutes, seconds]
    }

    /// ISO 8601: `2000-01-01T00:00:00`; unknown parts are 0.
    public var description: String {
        let date = "\(year.zeroPadded(to: 4))-\(month.zeroPadded(to: 2))-\(day.zeroPadded(to: 2))"
        return "\(date)T\(hours.zeroPadded(to: 2)):\(minutes.zeroPadded(to: 2)):\(seconds.zeroPadded(to: 2))"
    }

    /// Counts eras of 400 years, which have 146097 days, and years that begin in March.
    private static func date(daysSince1970 days: Int64) -> (UInt16, UInt8, UInt8) {
        let days = days + 719_468  // since 0000-03-01
        let (era, day) = (days / 146_097, days % 146_097)
        let year = (day - day / 1460 + day / 36524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153  // 0 is March
        let isNextYear = month >= 10
        return (
            UInt16(era * 400 + year + (isNextYear ? 1 : 0)), UInt8(isNextYear ? month - 9 : month + 3),
            UInt8(dayOfYear - (153 * month + 2) / 5 + 1)
        )
    }
}
