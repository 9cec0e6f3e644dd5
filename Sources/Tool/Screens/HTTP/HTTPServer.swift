import Basics
import Sockets

/// The limits of an HTTP server.
struct HTTPLimits: Hashable, Sendable {
    /// The maximum connections; further ones wait.
    var connections = 32
    /// The maximum octets of a request's first line and header fields, and of a connection's buffers.
    var octetsPerConnection = 32 << 10
    /// The maximum octets of a request's body.
    var body = 64 << 10
    /// The maximum octets that wait for the reader of a stream; further events are lost.
    var waitingPerStream = 256 << 10
    /// A connection ends after this time in which no response was completed, unless it is a stream.
    var request = Duration.seconds(10)
    /// A stream ends after this time in which its reader has not taken what was sent.
    var unread = Duration.seconds(15)

    init() {}
}

/// An HTTP/1.1 server at one address, on an event loop at the real pace.
///
/// Nothing blocks, and no request makes it trap: libmicrohttpd reads and refuses them.
actor HTTPServer: LoopActor {
    /// Answers a request, given the number of open streams; called on the loop's thread.
    typealias Handler = @Sendable (Request, _ streams: Int) -> Response

    nonisolated let loop: EventLoop
    private let library: Library
    private let limits: HTTPLimits
    private let answer: Handler
    private var daemon: Daemon?  // while it listens
    private var watch: EventLoop.Watch?
    private var timeout: EventLoop.ScheduledCall?

    /// A server that begins with `listen`.
    init(
        on loop: EventLoop, _ limits: HTTPLimits = HTTPLimits(), answer: @escaping Handler
    ) throws(MissingLibrary) {
        library = try Library.load()
        (self.loop, self.limits, self.answer) = (loop, limits, answer)
    }

    deinit {
        if let watch { loop.cancel(watch) }
        timeout?.cancel()
    }

    /// Listens at a port of a host, and returns it; a port of 0 is any free one.
    func listen(at host: String, port: UInt16) throws(SocketFailure) -> UInt16 {
        let (descriptor, actual) = try StreamListener.descriptor(listeningAt: host, port: port)
        guard let daemon = Daemon(library, listening: descriptor, limits, answer: answer) else {
            throw .cannotListen(.tcp(host: host, port: port), code: SocketFailure.tooManyDescriptors)
        }
        self.daemon = daemon
        watch = loop.watch(daemon.descriptor, for: .readable) { [weak self] in self?.assumeIsolated { $0.run() } }
        run()
        return actual
    }

    /// Closes all connections at once.
    func close() {
        if let watch = watch.take() { loop.cancel(watch) }
        timeout?.cancel()
        daemon = nil
    }

    /// The number of open streams.
    var streamCount: Int { daemon?.streams.count ?? 0 }

    /// The channels of the open streams, each once, in order.
    var channels: [Int] { Set(daemon?.streams.map(\.channel) ?? []).sorted() }

    /// Sends an event, octets as of ``StreamQueue/event(_:data:)``, to all streams of a channel.
    func send(_ event: [UInt8], to channel: Int) {
        for stream in daemon?.streams ?? [] where stream.channel == channel { stream.send(event) }
        run()
    }

    /// The maximum time until libmicrohttpd gets a turn: it does not say when it could accept another connection. It is also
    /// how late a connection whose time is over may end.
    private static let patience: Int64 = 250  // milliseconds

    private func run() {
        guard let daemon else { return }
        daemon.run(at: loop.now, pace: loop.speed)
        timeout?.cancel()
        let wait = Duration.milliseconds(min(daemon.timeout ?? Self.patience, Self.patience))
        timeout = loop.call(at: loop.now.advanced(by: wait * loop.speed)) { [weak self] in
            self?.assumeIsolated { $0.run() }
        }
    }
}
