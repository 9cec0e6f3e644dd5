package import Basics
import Cases
import CommandSupport
package import Drivers
package import ScenarioModel
import Sockets
import VirtualWorld

/// The page of a world that plays: it shows what happens, and does what a person on it chooses.
package actor PageSession: LoopActor {
    /// The maximum number of open pages.
    static let maximumPages = 8
    /// The period of the frames, in real time.
    private static let period = Duration.milliseconds(100)
    /// The time between two parts of the work for a page that opens, in real time: the world plays meanwhile.
    private static let pause = Duration.milliseconds(1)

    package nonisolated let loop: EventLoop
    private let world: LiveWorld
    private let desk: ControlDesk
    private let feed: PageFeed
    private let token = PageToken()
    private var gate: Gate?
    private var server: HTTPServer?
    private var views: PageViews
    private var tick: EventLoop.ScheduledCall?
    private var nextWork: EventLoop.ScheduledCall?

    /// Serves after `open`.
    package init(_ scenario: Scenario, _ world: LiveWorld, _ desk: ControlDesk, _ feed: PageFeed, on loop: EventLoop) {
        (self.world, self.desk, self.feed, self.loop) = (world, desk, feed, loop)
        views = PageViews(scenario, desk.reader)
    }

    /// Serves the page at an address, and returns its URL with the token, which browsers never send to a server.
    package func open(at address: PageAddress) throws -> String {
        let server = try makeServer()
        let port = try server.assumeIsolated { server in
            Result { () throws(SocketFailure) in try server.listen(at: address.host, port: address.port) }
        }.get()
        self.server = server
        gate = Gate(host: address.host, port: port, token: token)
        sendFrames()
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        return "http://\(host):\(port)/#\(token)"
    }

    private func makeServer() throws(Obstacle) -> HTTPServer {
        do throws(MissingLibrary) {
            return try HTTPServer(on: loop) { [weak self] request, streams in
                self?.assumeIsolated { $0.answer(request, streams) } ?? Response(503, [], .octets([]))
            }
        } catch {
            throw Obstacle(.environment, "\(error)")
        }
    }

    /// Closes all connections at once.
    package func close() {
        tick?.cancel()
        nextWork?.cancel()
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
            let (channel, outline) = views.open(Selection(request))
            if outline == nil { workLater() }
            return .events(outline.map { [first($0)] } ?? [], channel)
        case .action: return .json(desk.answer(request.body, as: "page").json)
        case .refused(let status, let reason): return .text(status, reason)
        case nil: return .text(503, "not ready yet")
        }
    }

    /// The outline, and the last events: a page needs them first.
    private func first(_ outline: PageOutline) -> [UInt8] {
        let events = feed.recent().joined(separator: ", ")
        return StreamQueue.event("outline", data: "{\"outline\": \(outline.json), \"events\": [\(events)]}")
    }

    // MARK: Outlines

    private func workLater() {
        nextWork?.cancel()
        nextWork = loop.call(at: loop.now.advanced(by: Self.pause * loop.speed)) { [weak self] in
            self?.assumeIsolated { $0.work() }
        }
    }

    private func work() {
        let radio = world.assumeIsolated { $0.radio }
        if let (channel, outline) = views.work(version: version, isPlayable: { radio.refusal(of: $0) == nil }) {
            let first = first(outline)
            server?.assumeIsolated { $0.send(first, to: channel) }
        }
        if views.hasWork { workLater() }
    }

    // MARK: Frames

    private func sendFrames() {
        if let server {
            let channels = server.assumeIsolated { $0.channels }
            views.keep(channels)
            let (views, news) = (views, feed.takeNews(of: channels.isEmpty ? nil : views.devices))
            if !channels.isEmpty {
                let frames = world.assumeIsolated { live in live.visit { world, _ in views.frames(of: world, news) } }
                for (channel, json) in frames {
                    server.assumeIsolated { $0.send(StreamQueue.event(data: json), to: channel) }
                }
            }
        }
        tick = loop.call(at: loop.now.advanced(by: Self.period * loop.speed)) { [weak self] in
            self?.assumeIsolated { $0.sendFrames() }
        }
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

    static func events(_ first: [[UInt8]], _ channel: Int) -> Response {
        Response(
            200, guards + [.init("Content-Type", "text/event-stream")], .stream(first: first, channel: channel))
    }

    static func json(_ text: String) -> Response {
        Response(200, guards + [.init("Content-Type", "application/json")], .octets(Array(text.utf8)))
    }

    static func text(_ status: UInt32, _ text: String) -> Response {
        Response(
            status, guards + [.init("Content-Type", "text/plain; charset=utf-8")], .octets(Array("\(text)\n".utf8)))
    }
}
