import Basics
import Sockets
import Synchronization
import Testing

@testable import Screens

@Suite(.timeLimit(.minutes(30))) struct HTTPServerTests {
    /// A client that collects what the server sends.
    private final class Client: Sendable {
        private let octets = Mutex<[UInt8]>([])
        private let over = Mutex(false)
        let connection: StreamConnection

        init(port: UInt16, on loop: EventLoop) throws {
            connection = try StreamConnection(to: .tcp(host: "127.0.0.1", port: port), on: loop)
            connection.start { [weak self] event in
                switch event {
                case .opened: break
                case .received(let more): self?.octets.withLock { $0 += more }
                case .ended, .failed: self?.over.withLock { $0 = true }
                }
            }
        }

        var text: String { octets.withLock { String(decoding: $0, as: UTF8.self) } }
        var count: Int { octets.withLock { $0.count } }
        var isOver: Bool { over.withLock { $0 } }
        func say(_ text: String) { connection.send(Array(text.utf8)) }
    }

    private static func wait(_ loop: EventLoop, until isTrue: () async -> Bool) async throws {
        for _ in 0..<5000 {
            if await isTrue() { return }
            try await loop.sleep(until: loop.now.advanced(by: .milliseconds(2)), tolerance: nil)
        }
        Issue.record("nothing happened within 10 s")
    }

    /// Runs `body` with a server that answers with the request, and with a stream at /stream.
    private static func serving(
        _ limits: HTTPLimits = HTTPLimits(),
        _ body: sending @escaping (HTTPServer, UInt16, EventLoop) async throws -> Void
    ) throws {
        let loop = EventLoop(pace: .real())
        try loop.run {
            let server = try HTTPServer(on: loop, limits) { request, streams in
                if request.path == "/stream" {
                    return Response(
                        200, [.init("Content-Type", "text/event-stream")],
                        .stream(first: [StreamQueue.event("first", data: "\(streams)")], channel: 0))
                }
                if request.path == "/large" { return Response(200, [], .octets(.init(repeating: 120, count: 8 << 20))) }
                let fields = request.fields.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
                let query = request.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
                let text =
                    "\(request.method) \(request.path)?\(query) [\(fields)] "
                    + String(decoding: request.body, as: UTF8.self)
                return Response(200, [.init("X-Test", "yes")], .octets(Array(text.utf8)))
            }
            let port = try await server.listen(at: "127.0.0.1", port: 0)
            try await body(server, port, loop)
            await server.close()
            await server.close()
        }
    }

    @Test func `A request is answered with its fields and its body`() throws {
        try Self.serving { server, port, loop in
            let client = try Client(port: port, on: loop)
            client.say("POST /act?x=1 HTTP/1.1\r\nHost: a\r\nX-Long: b c\r\nContent-Length: 5\r\n\r\nhel")
            client.say("loGET / HTTP/1.1\r\nHost: b\r\n\r\n")
            try await Self.wait(loop) { client.text.contains("GET /? [") }
            #expect(client.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(client.text.contains("x-test: yes"))
            #expect(client.text.contains("POST /act?x=1 [host=a;x-long=b c;content-length=5] hello"))
            #expect(client.text.contains("GET /? [host=b] "))
            client.connection.close()
        }
    }

    @Test func `A stream gets what is sent, until the server closes`() throws {
        try Self.serving { server, port, loop in
            let clients = try (0..<3).map { _ in try Client(port: port, on: loop) }
            for client in clients { client.say("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n") }
            try await Self.wait(loop) { clients.allSatisfy { $0.text.contains("event: first") } }
            #expect(await server.streamCount == 3)
            #expect(await server.channels == [0])
            for number in 0..<100 { await server.send(StreamQueue.event(data: "<\(number)>"), to: 0) }
            await server.send(StreamQueue.event(data: "elsewhere"), to: 1)
            try await Self.wait(loop) { clients.allSatisfy { $0.text.contains("<99>") } }
            #expect(!clients[0].text.contains("elsewhere"))
            clients[0].connection.close()
            try await Self.wait(loop) {
                await server.send(StreamQueue.event(data: "again"), to: 0)
                return await server.streamCount == 2
            }
            await server.close()
            #expect(await server.streamCount == 0)
            try await Self.wait(loop) { clients[1].isOver && clients[2].isOver }
        }
    }

    @Test func `A stream that nobody reads loses events, ends, and does not hold up the others`() throws {
        var limits = HTTPLimits()
        (limits.unread, limits.waitingPerStream) = (.seconds(1), 64 << 10)
        try Self.serving(limits) { server, port, loop in
            let (slow, quick) = (try Client(port: port, on: loop), try Client(port: port, on: loop))
            for client in [slow, quick] { client.say("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n") }
            try await Self.wait(loop) { await server.streamCount == 2 && quick.count > 0 && slow.count > 0 }
            slow.connection.pause()
            let event = StreamQueue.event(data: String(repeating: "x", count: 1 << 14))
            var sent = 0
            try await Self.wait(loop) {
                await server.send(event, to: 0)
                sent += 1
                return await server.streamCount == 1
            }
            try await Self.wait(loop) { quick.count >= sent * event.count }
            #expect(!quick.text.contains("event: lost"))
            for client in [slow, quick] { client.connection.close() }
        }
    }

    /// Requests, and the status of the response; nil: the connection ends without one.
    static let requests: [(text: String, status: UInt32?)] = [
        ("GET / HTTP/1.0\r\n\r\n", 200), ("GET / HTTP/1.1\r\nHost:a\r\nX:\r\n\r\n", 200),
        ("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", 200),
        ("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /\0x HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET /?x\0y HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET /x%00y HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\0\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\0.evil\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHo\0st: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nX\0: y\r\n\r\n", 400),
        ("\u{1}\u{2}\r\n\r\n", nil), ("GET https://x/ HTTP/1.1\r\nHost: a\r\n\r\n", 421),
        ("GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET http://x/ HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        ("GET /\r\n\r\n", 400), ("GET / HTTP/9.9\r\nHost: a\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\nHost\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        ("GET /" + String(repeating: "x", count: 40 << 10), 414),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "y", count: 40 << 10) + "\r\n\r\n", 431),
    ]

    @Test(arguments: requests.indices)
    func `A request that HTTP does not permit is refused, and others are served`(index: Int) throws {
        var limits = HTTPLimits()
        limits.body = 1000
        try Self.serving(limits) { server, port, loop in
            let client = try Client(port: port, on: loop)
            client.say(Self.requests[index].text)
            try await Self.wait(loop) { client.isOver || client.text.contains("\r\n\r\n") }
            let status = Self.requests[index].status
            #expect(client.text.isEmpty == (status == nil))
            #expect(client.text.hasPrefix(status.map { "HTTP/1.1 \($0) " } ?? ""))
            let other = try Client(port: port, on: loop)
            other.say("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
            try await Self.wait(loop) { other.text.contains("GET /other") }
            for client in [client, other] { client.connection.close() }
        }
    }

    @Test func `A body that is longer than its sender could know ends the connection`() throws {
        var limits = HTTPLimits()
        limits.body = 1000
        try Self.serving(limits) { server, port, loop in
            let client = try Client(port: port, on: loop)
            let chunk = "200\r\n\(String(repeating: "y", count: 512))\r\n"
            client.say("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)\(chunk)0\r\n\r\n")
            try await Self.wait(loop) { client.isOver }
            #expect(!client.text.contains("200 OK"))
        }
    }

    @Test func `Targets, parameters and chunks mean what they should`() throws {
        try Self.serving { server, port, loop in
            let client = try Client(port: port, on: loop)
            client.say("GET http://b:1/%61ct?find=a+b%C3%BC&page=2&x HTTP/1.1\r\nHost: a\r\n\r\n")
            client.say("POST /c HTTP/1.1\r\nHost: c\r\nTransfer-Encoding: chunked\r\n\r\n")
            client.say("5;x=y\r\nhello\r\nA\r\n, chunks!!\r\n0\r\nT: u\r\n\r\n")
            client.say("POST /d HTTP/1.1\r\nHost: d\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            try await Self.wait(loop) { client.text.contains("100 Continue") }
            client.say("ab")
            try await Self.wait(loop) { client.text.contains("] ab") }
            #expect(client.text.contains("GET /act?find=a bü&page=2 [host=b:1] "))
            #expect(client.text.contains("POST /c? [host=c;transfer-encoding=chunked] hello, chunks!!"))
            client.connection.close()
        }
    }

    @Test func `Connections beyond the limit wait, and silent ones end`() throws {
        var limits = HTTPLimits()
        (limits.connections, limits.request) = (2, .seconds(1))
        try Self.serving(limits) { server, port, loop in
            let clients = try (0..<5).map { _ in try Client(port: port, on: loop) }
            clients[4].say("GET /last HTTP/1.1\r\nHost: a\r\n\r\n")
            try await Self.wait(loop) { clients[4].text.contains("GET /last") }
            #expect(clients[0].isOver || clients[1].isOver)
            for client in clients { client.connection.close() }
        }
    }

    @Test func `While all places are taken, each response is the last of its connection`() throws {
        var limits = HTTPLimits()
        limits.connections = 2
        try Self.serving(limits) { server, port, loop in
            let first = try Client(port: port, on: loop)
            first.say("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
            try await Self.wait(loop) { first.text.contains("GET /1") }
            #expect(!first.text.contains("Connection: close"))
            let second = try Client(port: port, on: loop)
            second.say("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            try await Self.wait(loop) { second.text.contains("GET /2") }
            #expect(second.text.contains("Connection: close"))
            for client in [first, second] { client.connection.close() }
        }
    }

    @Test func `Clients that send an octet now and then make room for others`() throws {
        var limits = HTTPLimits()
        (limits.connections, limits.request) = (4, .seconds(1))
        try Self.serving(limits) { server, port, loop in
            let slow = try (0..<4).map { _ in try Client(port: port, on: loop) }
            for client in slow { client.say("GET / HTTP/1.1\r\nHost: a\r\nX: ") }
            try await loop.sleep(until: loop.now.advanced(by: .milliseconds(100)), tolerance: nil)
            let browser = try Client(port: port, on: loop)
            browser.say("GET /page HTTP/1.1\r\nHost: a\r\n\r\n")
            try await Self.wait(loop) {
                for client in slow where !client.isOver { client.say("x") }
                return browser.text.contains("GET /page")
            }
            try await Self.wait(loop) { slow.allSatisfy(\.isOver) }
            browser.connection.close()
        }
    }

    @Test func `A client that does not read its response loses its place`() throws {
        var limits = HTTPLimits()
        (limits.connections, limits.request) = (1, .seconds(1))
        try Self.serving(limits) { server, port, loop in
            let slow = try Client(port: port, on: loop)
            slow.say("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
            try await Self.wait(loop) { slow.count > 0 }
            slow.connection.pause()
            let browser = try Client(port: port, on: loop)
            browser.say("GET /page HTTP/1.1\r\nHost: a\r\n\r\n")
            try await Self.wait(loop) { browser.text.contains("GET /page") }
            #expect(slow.count < 8 << 20)
            for client in [slow, browser] { client.connection.close() }
        }
    }

    @Test func `A client that does not read what it asks for waits, and holds up nobody`() throws {
        try Self.serving { server, port, loop in
            let (slow, quick) = (try Client(port: port, on: loop), try Client(port: port, on: loop))
            let body = String(repeating: "y", count: 60_000)
            let request = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n\(body)"
            slow.connection.pause()
            for _ in 0..<15 { slow.say(request) }
            quick.say("GET /quick HTTP/1.1\r\nHost: a\r\n\r\n")
            try await Self.wait(loop) { quick.text.contains("GET /quick") }
            slow.connection.resume()
            try await Self.wait(loop) { slow.count > 15 * 60_000 }
            for client in [slow, quick] { client.connection.close() }
        }
    }

    @Test func `A port in use is an error`() throws {
        try Self.serving { server, port, loop in
            let other = try HTTPServer(on: loop) { _, _ in Response(200, [], .octets([])) }
            await #expect(throws: SocketFailure.self) { _ = try await other.listen(at: "127.0.0.1", port: port) }
        }
    }
}
