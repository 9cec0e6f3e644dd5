import CommandSupport
import Glibc

/// The settings of the user's locale.
enum Locale {
    /// Whether the character encoding is UTF-8, by `LC_ALL`, else `LC_CTYPE`, else `LANG`: locale(7).
    static var isUTF8: Bool {
        let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.map(Paint.variable).first { !$0.isEmpty } ?? ""
        let charset = name.split(separator: ".").dropFirst().first?.prefix { $0 != "@" } ?? ""
        return ["utf-8", "utf8"].contains(charset.lowercased())
    }

    /// Today in local time; the first day when there is no clock.
    static var today: CalendarDay {
        var now = time(nil)
        var local = unsafe tm()
        unsafe localtime_r(&now, &local)
        let (year, month, day) = unsafe (local.tm_year, local.tm_mon, local.tm_mday)
        return CalendarDay(year: Int(year) + 1900, month: Int(month) + 1, day: Int(day)) ?? .first
    }
}
