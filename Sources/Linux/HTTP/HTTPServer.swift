package import Simulation
package import Sockets

/// The limits of an HTTP server.
package struct HTTPLimits: Hashable, Sendable {
    /// The maximum connections; further ones wait.
    package var connections = 32
    /// The maximum octets of a connection's header fields and of its buffers.
    package var octetsPerConnection = 32 << 10
    /// The maximum octets of a request's body.
    package var body = 64 << 10
    /// The maximum octets that wait for the reader of a stream; further events are lost.
    package var waitingPerStream = 256 << 10
    /// A connection ends after this time in which nothing could be sent or received, unless it is a stream with nothing to send.
    package var secondsWithoutTraffic = 15

    package init() {}
}

/// An HTTP/1.1 server at one address, on an event loop at the real pace.
///
/// Nothing blocks, and no request makes it trap: libmicrohttpd closes the connection of a malformed one.
package actor HTTPServer: LoopActor {
    /// Answers a request, given the number of open streams; called on the loop's thread.
    package typealias Handler = @Sendable (Request, _ streams: Int) -> Response

    package nonisolated let loop: EventLoop
    /// The actual port, if port 0 was requested.
    package nonisolated let port: UInt16
    private var daemon: Daemon?  // nil: closed
    private var watch: EventLoop.Watch?
    private var timeout: EventLoop.ScheduledCall?

    /// Listens at a port of a host; a port of 0 is any free one.
    package init(
        host: String, port: UInt16, on loop: EventLoop, _ limits: HTTPLimits = HTTPLimits(), answer: @escaping Handler
    ) throws(SocketFailure) {
        let (descriptor, actual) = try StreamListener.descriptor(listeningAt: host, port: port)
        guard let daemon = Daemon(listening: descriptor, limits, answer: answer) else {
            throw .cannotListen(.tcp(host: host, port: port), code: SocketFailure.tooManyDescriptors)
        }
        (self.loop, self.port, self.daemon) = (loop, actual, daemon)
    }

    deinit {
        if let watch { loop.cancel(watch) }
        timeout?.cancel()
    }

    /// Begins to answer.
    package func start() {
        guard let daemon, watch == nil else { return }
        watch = loop.watch(daemon.descriptor, for: .readable) { [weak self] in self?.assumeIsolated { $0.run() } }
        run()
    }

    /// Closes all connections at once.
    package func close() {
        if let watch = watch.take() { loop.cancel(watch) }
        timeout?.cancel()
        daemon = nil
    }

    /// The number of open streams.
    package var streamCount: Int { daemon?.streamCount ?? 0 }

    /// Sends an event to all streams: octets as of ``StreamQueue/event(_:data:)``.
    package func send(_ event: [UInt8]) {
        daemon?.send(event)
        run()
    }

    /// The maximum time until libmicrohttpd gets a turn: it does not say when it could accept another connection.
    private static let patience: Int64 = 250  // milliseconds

    private func run() {
        guard let daemon else { return }
        daemon.run()
        timeout?.cancel()
        let wait = Duration.milliseconds(min(daemon.timeout ?? Self.patience, Self.patience))
        timeout = loop.call(at: loop.now.advanced(by: wait * loop.speed)) { [weak self] in
            self?.assumeIsolated { $0.run() }
        }
    }
}
