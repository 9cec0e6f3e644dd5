import CommandSupport
import Glibc

/// What the machine is set to.
enum Locale {
    /// Whether text is UTF-8: `LC_ALL`, else `LC_CTYPE`, else `LANG` says so, as in locale(7).
    static var isUTF8: Bool {
        let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.map(Paint.variable).first { !$0.isEmpty } ?? ""
        let charset = name.split(separator: ".").dropFirst().first?.prefix { $0 != "@" } ?? ""
        return ["utf-8", "utf8"].contains(charset.lowercased())
    }

    /// The day on the wall; the first of all when there is no clock.
    static var today: CalendarDay {
        var now = time(nil)
        var local = unsafe tm()
        unsafe localtime_r(&now, &local)
        let (year, month, day) = unsafe (local.tm_year, local.tm_mon, local.tm_mday)
        return CalendarDay(year: Int(year) + 1900, month: Int(month) + 1, day: Int(day)) ?? .first
    }
}
