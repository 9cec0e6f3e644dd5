package import Simulation
package import Sockets

/// The limits of an HTTP server.
package struct HTTPLimits: Hashable, Sendable {
    /// The maximum connections; further ones wait.
    package var connections = 32
    /// The maximum octets of a request's first line and header fields.
    package var head = 32 << 10
    /// The maximum octets of a request's body.
    package var body = 64 << 10
    /// The maximum octets that wait for the reader of a stream; further events are lost.
    package var waitingPerStream = 256 << 10
    /// A connection ends after this time in which no response was completed, unless it is a stream.
    package var request = Duration.seconds(10)
    /// A stream ends after this time in which its reader has not taken what was sent.
    package var unread = Duration.seconds(15)
    /// How long a client may read its last response until the server closes the connection.
    package var parting = Duration.seconds(2)

    package init() {}
}

/// An HTTP/1.1 server at one address, on an event loop at the real pace.
///
/// Nothing blocks: a connection whose client does not read is not read from.
package actor HTTPServer: LoopActor {
    /// Answers a request, given the number of open streams; called on the loop's thread.
    package typealias Handler = @Sendable (Request, _ streams: Int) -> Response

    private struct Connection {
        let number: Int
        let octets: StreamConnection
        var reader: RequestReader
        var time: ConnectionTime
        var stream: Stream?
        /// Whether nothing that the client sends counts any more.
        var isParting = false
    }

    private struct Stream {
        let channel: Int
        var queue: StreamQueue
    }

    private static let octetsPerPortion = 1 << 14
    /// The most that one response can have.
    private static let sendLimit = 16 << 20
    /// How often the time of connections is looked at.
    private static let period = Duration.milliseconds(250)

    package nonisolated let loop: EventLoop
    private let limits: HTTPLimits
    private let answer: Handler
    private var listener: StreamListener?
    private var connections: [Connection] = []
    private var arrivals = 0
    private var sweep: EventLoop.ScheduledCall?

    /// A server that begins with `listen`.
    package init(on loop: EventLoop, _ limits: HTTPLimits = HTTPLimits(), answer: @escaping Handler) {
        (self.loop, self.limits, self.answer) = (loop, limits, answer)
    }

    /// Listens at a port of a host, and returns it; a port of 0 is any free one.
    package func listen(at host: String, port: UInt16) throws(SocketFailure) -> UInt16 {
        let listener = try StreamListener(
            at: .tcp(host: host, port: port), on: loop, sendLimit: Self.sendLimit
        ) { [weak self] connection in
            guard let self else { return connection.close() }
            self.assumeIsolated { $0.begin(connection) }
        }
        self.listener = listener
        guard case .tcp(_, let actual) = listener.address else { return port }
        return actual
    }

    /// Closes all connections at once.
    package func close() {
        sweep?.cancel()
        listener?.close()
        for connection in connections { connection.octets.close() }
        (listener, connections) = (nil, [])
    }

    /// The number of open streams.
    package var streamCount: Int { connections.count { $0.stream != nil } }

    /// The channels of the open streams, each once, in order.
    package var channels: [Int] { Set(connections.compactMap { $0.stream?.channel }).sorted() }

    /// Sends an event, octets as of ``StreamQueue/event(_:data:)``, to all streams of a channel.
    package func send(_ event: [UInt8], to channel: Int) {
        for number in connections.filter({ $0.stream?.channel == channel }).map(\.number) {
            change(number) { $0.stream?.queue.add(event) }
            sendEvents(of: number)
        }
    }

    // MARK: Connections

    private func begin(_ octets: StreamConnection) {
        arrivals += 1
        let number = arrivals
        connections.append(
            Connection(
                number: number, octets: octets, reader: RequestReader(limits), time: ConnectionTime(at: loop.now)))
        octets.whenDrained { [weak self] in self?.assumeIsolated { $0.drained(number) } }
        octets.start { [weak self] event in self?.assumeIsolated { $0.happened(event, on: number) } }
        if connections.count >= limits.connections { listener?.pause() }
        if connections.count == 1 { lookAtTime() }
    }

    private func end(_ number: Int) {
        guard let index = connections.firstIndex(where: { $0.number == number }) else { return }
        connections.remove(at: index).octets.close()
        listener?.resume()
    }

    private func change(_ number: Int, _ body: (inout Connection) -> Void) {
        guard let index = connections.firstIndex(where: { $0.number == number }) else { return }
        body(&connections[index])
    }

    private func connection(_ number: Int) -> Connection? { connections.first { $0.number == number } }

    private func happened(_ event: StreamConnection.Event, on number: Int) {
        switch event {
        case .opened: break
        case .received(let octets):
            change(number) { if $0.stream == nil, !$0.isParting { $0.reader.append(octets) } }
            answerRequests(of: number)
        case .ended, .failed: end(number)
        }
    }

    private func drained(_ number: Int) {
        guard let connection = connection(number) else { return }
        if connection.stream != nil { return sendEvents(of: number) }
        if !connection.isParting { change(number) { $0.time.answered(at: loop.now) } }
        connection.octets.resume()
        answerRequests(of: number)
    }

    /// Ends the connections whose time is over, again and again while there are any.
    private func lookAtTime() {
        sweep?.cancel()
        for connection in connections where connection.time.isOver(at: loop.now, limits, pace: loop.speed) {
            if connection.time.isExchange, connection.reader.hasBegun, connection.octets.queued == 0 {
                send(Response(Refusal(408, "the request took too long")), on: connection, isLast: true)
            }
            end(connection.number)
        }
        guard !connections.isEmpty else { return }
        sweep = loop.call(at: loop.now.advanced(by: Self.period * loop.speed)) { [weak self] in
            self?.assumeIsolated { $0.lookAtTime() }
        }
    }

    // MARK: Requests

    /// Answers the requests that have arrived, one after the other: while a client does not read, its further ones wait.
    private func answerRequests(of number: Int) {
        while let index = connections.firstIndex(where: { $0.number == number }), connections[index].stream == nil,
            !connections[index].isParting
        {
            guard connections[index].octets.queued == 0 else { return connections[index].octets.pause() }
            switch connections[index].reader.next() {
            case .incomplete: return
            case .asksToContinue: connections[index].octets.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            case .refused(let refusal):
                send(Response(refusal), on: connections[index], isLast: true)
                part(number)
            case .request(let request, let asksForLast):
                // While others wait for a place, nobody keeps one by sending request after request.
                let isLast = asksForLast || connections.count >= limits.connections
                let response = answer(request, streamCount)
                guard let connection = connection(number) else { return }
                send(response, on: connection, isLast: isLast, isHead: request.method == "HEAD")
                if case .stream(let first, let channel) = response.content {
                    begin(StreamQueue(limit: limits.waitingPerStream, first: first), channel, on: number)
                } else if isLast {
                    part(number)
                } else if connection.octets.queued == 0 {
                    change(number) { $0.time.answered(at: loop.now) }
                }
            }
        }
    }

    private func send(_ response: Response, on connection: Connection, isLast: Bool, isHead: Bool = false) {
        connection.octets.send(response.octets(of: .now, isLast: isLast, isHead: isHead))
    }

    /// Nothing follows the last response; the client has time to read it.
    private func part(_ number: Int) {
        change(number) { connection in
            connection.isParting = true
            connection.time.parted(at: loop.now)
        }
    }

    // MARK: Streams

    private func begin(_ queue: StreamQueue, _ channel: Int, on number: Int) {
        change(number) { connection in
            connection.stream = Stream(channel: channel, queue: queue)
            connection.time.beginStream()
        }
        sendEvents(of: number)
    }

    /// Sends a stream's events, as far as its reader takes them.
    private func sendEvents(of number: Int) {
        change(number) { connection in
            while connection.octets.queued == 0, let portion = connection.stream?.queue.take(Self.octetsPerPortion),
                !portion.isEmpty
            {
                connection.octets.send(portion)
            }
            connection.time.streamed(connection.octets.queued == 0, at: loop.now)
        }
    }
}
