import CommandSupport
package import Control
import Documents
package import Drivers
import HTTP
import ScenarioRuns
package import Scenarios
package import Simulation
package import Sockets
import TextFormatting
import VirtualWorld

/// The page of a world that plays: it shows what happens, and does what a person on it chooses.
package actor PageSession: LoopActor {
    /// The maximum number of open pages.
    static let maximumPages = 8
    /// The period of the frames, in real time.
    private static let period = Duration.milliseconds(100)

    package nonisolated let loop: EventLoop
    private let scenario: Scenario
    private let world: LiveWorld
    private let desk: ControlDesk
    private let feed: PageFeed
    private let token = PageToken()
    private var gate: Gate?
    private var server: HTTPServer?
    private var outline: PageOutline?
    private var tick: EventLoop.ScheduledCall?

    /// Serves after `open`.
    package init(_ scenario: Scenario, _ world: LiveWorld, _ desk: ControlDesk, _ feed: PageFeed, on loop: EventLoop) {
        (self.scenario, self.world, self.desk, self.feed, self.loop) = (scenario, world, desk, feed, loop)
    }

    /// Serves the page at an address, and returns its URL with the token, which browsers never send to a server.
    package func open(at address: PageAddress) throws(SocketFailure) -> String {
        let server = try HTTPServer(host: address.host, port: address.port, on: loop) { [weak self] request, streams in
            self?.assumeIsolated { $0.answer(request, streams) } ?? Response(503, [], .octets([]))
        }
        self.server = server
        gate = Gate(host: address.host, port: server.port, token: token)
        server.assumeIsolated { $0.start() }
        sendFrames()
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        return "http://\(host):\(server.port)/#\(token)"
    }

    /// Closes all connections at once.
    package func close() {
        tick?.cancel()
        server?.assumeIsolated { $0.close() }
        server = nil
    }

    // MARK: Requests

    private func answer(_ request: Request, _ streams: Int) -> Response {
        switch gate?.purpose(of: request) {
        case .page: return .page()
        case .stream:
            guard streams < Self.maximumPages else {
                return .text(503, "too many pages are open: the maximum is \(Self.maximumPages)")
            }
            return .events([StreamQueue.event("outline", data: first())])
        case .action: return .json(desk.answer(request.body, as: "page").json)
        case .refused(let status, let reason): return .text(status, reason)
        case nil: return .text(503, "not ready yet")
        }
    }

    /// The outline, and the last events: a page needs them first.
    private func first() -> String {
        let outline = knownOutline()
        return "{\"outline\": \(outline.json), \"events\": [\(feed.recent().joined(separator: ", "))]}"
    }

    private func knownOutline() -> PageOutline {
        if let outline { return outline }
        let limits = world.assumeIsolated { $0.limits }
        let outline = PageOutline(scenario, version: version) { limits($0) == nil }
        self.outline = outline
        return outline
    }

    // MARK: Frames

    private func sendFrames() {
        if let server {
            let isWatched = server.assumeIsolated { $0.streamCount } > 0
            let news = feed.takeNews(isWatched: isWatched)
            if isWatched {
                let event = StreamQueue.event(data: frame(news))
                server.assumeIsolated { $0.send(event) }
            }
        }
        tick = loop.call(at: loop.now.advanced(by: Self.period * loop.speed)) { [weak self] in
            self?.assumeIsolated { $0.sendFrames() }
        }
    }

    private func frame(_ news: PageFeed.News) -> String {
        let readings = knownOutline().readings
        let (status, numbers) = world.assumeIsolated { live in
            live.visit { world, _ in (world.status, readings.map { world.number(of: $0.entity) }) }
        }
        let shown = numbers.map { $0.map(\.plain) ?? "null" }.joined(separator: ", ")
        return "{\"status\": \(ControlAnswer.status(status).json), \"readings\": [\(shown)], "
            + "\"events\": [\(news.events.joined(separator: ", "))], "
            + "\"values\": [\(news.values.joined(separator: ", "))], \"omitted\": \(news.omitted)}"
    }
}

extension Response {
    private static let guards: [Request.Field] = [
        .init("Cache-Control", "no-store"), .init("X-Content-Type-Options", "nosniff"),
        .init("Referrer-Policy", "no-referrer"), .init("Cross-Origin-Resource-Policy", "same-origin"),
        .init("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    /// The page, which can run only its own script, and reach only its own server.
    static func page() -> Response {
        let nonce = "\(PageToken())"
        let policy =
            "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; img-src data:; "
            + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        let text = String(decoding: PackageResources.page_html, as: UTF8.self).replacing("{nonce}", with: nonce)
        return Response(
            200,
            guards + [.init("Content-Type", "text/html; charset=utf-8"), .init("Content-Security-Policy", policy)],
            .octets(Array(text.utf8)))
    }

    static func events(_ first: [[UInt8]]) -> Response {
        Response(200, guards + [.init("Content-Type", "text/event-stream")], .stream(first: first))
    }

    static func json(_ text: String) -> Response {
        Response(200, guards + [.init("Content-Type", "application/json")], .octets(Array(text.utf8)))
    }

    static func text(_ status: UInt32, _ text: String) -> Response {
        Response(
            status, guards + [.init("Content-Type", "text/plain; charset=utf-8")], .octets(Array("\(text)\n".utf8)))
    }
}
