import Glibc

/// The response to a request.
package struct Response: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case octets([UInt8])
        /// Server-sent events: these first, and then those that the server sends to this channel, until either side closes.
        case stream(first: [[UInt8]], channel: Int)
    }

    package let status: UInt32
    /// The header fields, in addition to those that HTTP needs.
    package let fields: [Request.Field]
    package let content: Content

    package init(_ status: UInt32, _ fields: [Request.Field], _ content: Content) {
        (self.status, self.fields, self.content) = (status, fields, content)
    }

    /// A refusal in words.
    init(_ refusal: Refusal) {
        self.init(refusal.status, [.init("Content-Type", "text/plain")], .octets(Array("\(refusal.reason)\n".utf8)))
    }

    /// The octets of the response; those of a stream without its events, which end with the connection.  RFC 9112, section 4.
    func octets(of date: HTTPDate, isLast: Bool, isHead: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.phrases[status] ?? "")\r\nDate: \(date)\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        switch content {
        case .octets(let octets):
            head += "Content-Length: \(octets.count)\r\n\(isLast ? "Connection: close\r\n" : "")\r\n"
            return Array(head.utf8) + (isHead ? [] : octets)
        case .stream: return Array("\(head)Connection: close\r\n\r\n".utf8)
        }
    }

    /// RFC 9110, section 15.
    private static let phrases: [UInt32: String] = [
        200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        408: "Request Timeout", 413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
        417: "Expectation Failed", 421: "Misdirected Request", 431: "Request Header Fields Too Large",
        501: "Not Implemented", 503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]
}

/// A time as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.  RFC 9110, section 5.6.7.
struct HTTPDate: CustomStringConvertible {
    let description: String

    /// The time of the system's clock.
    static var now: HTTPDate { HTTPDate(time(nil)) }

    /// A time in seconds since 1970.
    init(_ seconds: Int) {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var (seconds, parts) = (seconds, unsafe tm())
        unsafe gmtime_r(&seconds, &parts)
        func digits(_ number: CInt, _ count: Int) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits($0, 2) }.joined(separator: ":")
        description =
            unsafe "\(days[Int(parts.tm_wday)]), \(digits(parts.tm_mday, 2)) \(months[Int(parts.tm_mon)]) "
            + "\(digits(1900 + parts.tm_year, 4)) \(clock) GMT"
    }
}
