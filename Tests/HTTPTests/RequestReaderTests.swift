import Testing

@testable import HTTP

/// Requests in octets, whole and in pieces.  RFC 9112.
@Suite struct RequestReaderTests {
    private typealias Step = RequestReader.Step

    private static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        (limits.head, limits.body) = (1000, 100)
        return limits
    }()

    /// The steps until more octets are needed, or none can follow.
    private static func steps(_ octets: [UInt8], pieces: Int = .max) -> [Step] {
        var (reader, steps) = (RequestReader(limits), [Step]())
        var rest = octets[...]
        while !rest.isEmpty {
            reader.append(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
            loop: while true {
                let step = reader.next()
                switch step {
                case .incomplete: break loop
                case .refused: return steps + [step]
                case .request, .asksToContinue: steps.append(step)
                }
            }
        }
        return steps
    }

    private static func status(_ text: String) -> UInt32? {
        guard case .refused(let refusal)? = steps(Array(text.utf8)).last else { return nil }
        return refusal.status
    }

    private static func request(_ text: String) throws -> Request {
        guard case .request(let request, _)? = steps(Array(text.utf8)).first else { throw Missing() }
        return request
    }

    private struct Missing: Error {}

    @Test(arguments: [1, 2, 7, 10_000]) func `Requests come out one after the other, whatever the pieces`(size: Int) {
        let text =
            "\r\nPOST /act?x=1 HTTP/1.1\r\nHost: a\r\nX-Long:  b\tc \r\nContent-Length: 5\r\n\r\nhello"
            + "GET / HTTP/1.1\r\nHOST: b\r\n\r\n"
            + "POST /c HTTP/1.1\r\nHost: c\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5;x=y\r\nhello\r\nA\r\n, chunks!!\r\n0\r\nT: u\r\n\r\n"
            + "GET /last HTTP/1.1\r\nHost: d\r\nConnection: keep-alive, close\r\n\r\n"
        let wanted: [Step] = [
            .request(
                Request(
                    "POST", "/act", query: "x=1",
                    [.init("host", "a"), .init("x-long", "b\tc"), .init("content-length", "5")],
                    body: Array("hello".utf8)),
                isLast: false),
            .request(Request("GET", "/", [.init("host", "b")]), isLast: false),
            .request(
                Request(
                    "POST", "/c", [.init("host", "c"), .init("transfer-encoding", "chunked")],
                    body: Array("hello, chunks!!".utf8)), isLast: false),
            .request(
                Request("GET", "/last", [.init("host", "d"), .init("connection", "keep-alive, close")]), isLast: true),
        ]
        #expect(Self.steps(Array(text.utf8), pieces: size) == wanted)
    }

    @Test(arguments: [
        ("/", "/", "", "h"), ("/events?find=a%20b", "/events", "find=a%20b", "h"), ("/%61ct", "/act", "", "h"),
        ("http://127.0.0.1:80/", "/", "", "127.0.0.1:80"), ("HTTP://x/y?z", "/y", "z", "x"), ("http://x", "/", "", "x"),
        ("http://x?y", "/", "y", "x"), ("/?", "/", "", "h"), ("//x", "//x", "", "h"), ("/a?b?c", "/a", "b?c", "h"),
    ]) func `A target is a path or a URI, whose host counts instead of the field`(
        target: String, path: String, query: String, host: String
    ) throws {
        let request = try Self.request("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(request.path == path)
        #expect(request.query == query)
        #expect(request.values(of: "host") == [host])
    }

    static let refused: [(text: String, status: UInt32)] = [
        ("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /\0x HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /%0 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET /%FF HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\0\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\0.evil\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHo\0st: a\r\n\r\n", 400),
        ("GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET http://u@x/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET https://x/ HTTP/1.1\r\nHost: a\r\n\r\n", 421), ("GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        ("GET http://x/ HTTP/1.1\r\n\r\n", 400), ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\n", 400),
        ("GET / HTTP/9.9\r\n", 505), ("GET / HTTP/1.10\r\n", 400), ("GET / http/1.1\r\n", 400),
        ("G{T / HTTP/1.1\r\n", 400),
        ("GET / HTTP/1.1\nHost: a\n\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFF\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nExpect: more\r\nContent-Length: 1\r\n\r\n", 417),
        ("GET /" + String(repeating: "x", count: 1000), 414), (String(repeating: "\r\n", count: 501), 414),
        ("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 1000), 431),
        ("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 101), 431),
    ]

    @Test(arguments: refused.indices) func `A request that HTTP does not permit is refused, and nothing follows`(
        index: Int
    ) {
        #expect(Self.status(Self.refused[index].text) == Self.refused[index].status)
        let more = Self.refused[index].text + "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        for size in [1, 3, .max] {
            guard case .refused? = Self.steps(Array(more.utf8), pieces: size).last else {
                Issue.record("a request follows in pieces of \(size)")
                continue
            }
        }
    }

    @Test func `A client that waits for permission to send its body gets it`() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n"
        #expect(Self.steps(Array(head.utf8)) == [.asksToContinue])
        #expect(Self.steps(Array("\(head)ab".utf8)).count == 2)
    }

    @Test func `HTTP/1.0 needs no host, and sends one request`() {
        let steps = Self.steps(Array("GET / HTTP/1.0\r\n\r\n".utf8))
        #expect(steps == [.request(Request("GET", "/"), isLast: true)])
    }

    @Test func `A parameter is decoded`() {
        let request = Request("GET", "/", query: "find=a+b%C3%BC&page=2&find=c&x&y=%00&z=%2")
        #expect(request.parameter("find") == "a bü")
        #expect(request.parameter("page") == "2")
        for name in ["x", "y", "z", "none"] { #expect(request.parameter(name) == nil) }
    }
}
