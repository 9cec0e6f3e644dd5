import Basics
import Glibc

/// The present time in UTC: `2026-11-23T09:20:00Z`.
package var presentTime: String {
    var now = time_t()
    var fields = unsafe tm()
    unsafe time(&now)
    unsafe gmtime_r(&now, &fields)
    func padded(_ number: CInt) -> String { Int(number).zeroPadded(to: 2) }
    let day = unsafe [fields.tm_year + 1900, fields.tm_mon + 1, fields.tm_mday].map(padded)
    let time = unsafe [fields.tm_hour, fields.tm_min, fields.tm_sec].map(padded)
    return "\(day.joined(separator: "-"))T\(time.joined(separator: ":"))Z"
}
