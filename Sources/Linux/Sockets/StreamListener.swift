import Glibc
public import Simulation
import Synchronization

/// Waits at an address for others to connect, on an event loop at the real pace.
public final class StreamListener: Sendable {
    /// Takes a connection that has been accepted, and starts or closes it.
    public typealias Handler = @Sendable (StreamConnection) -> Void

    private struct State: ~Copyable {
        var socket: Socket?
        var watch: EventLoop.Watch?
    }

    /// Where it can be reached: with the real port, if any was asked for.
    public let address: StreamAddress
    private let loop: EventLoop
    private let sendLimit: Int
    private let handler: Handler
    private let file: FileIdentity?
    private let state: Mutex<State>

    /// Listens from now on.  A socket file that nobody listens at is replaced; a living one, or any other file, is
    /// left alone, and an error.  A socket file `forOwnerOnly` lets nobody else connect, not for a moment.
    public init(
        at address: StreamAddress, on loop: EventLoop, sendLimit: Int = StreamConnection.defaultLimit,
        forOwnerOnly: Bool = false, whenConnected handler: @escaping Handler
    ) throws(SocketFailure) {
        if case .unix(let path) = address { try Self.removeStale(path, at: address) }
        let socket = try Self.listen(at: address, forOwnerOnly: forOwnerOnly)
        switch address {
        case .tcp(let host, let port):
            self.address = .tcp(host: host, port: socket.port ?? port)
            file = nil
        case .unix(let path):
            self.address = address
            file = FileIdentity(path: path)
        }
        (self.loop, self.sendLimit, self.handler) = (loop, sendLimit, handler)
        state = Mutex(State(socket: socket, watch: nil))
        watch()
    }

    deinit { close() }

    /// Accepts nobody from now on, and removes the socket file; connections go on.  Again is no mistake.
    public func close() {
        let wasOpen = state.withLock { state in
            if let watch = state.watch.take() { loop.cancel(watch) }
            let wasOpen = state.socket != nil
            state.socket = nil
            return wasOpen
        }
        if wasOpen, case .unix(let path) = address { file?.remove(path) }
    }

    private static func listen(at address: StreamAddress, forOwnerOnly: Bool) throws(SocketFailure) -> Socket {
        var code = EADDRNOTAVAIL
        for place in try Socket.places(of: address, toListen: true) {
            guard let socket = Socket(family: place.family) else {
                code = errno
                continue
            }
            guard let refusal = socket.listen(at: place, forOwnerOnly: forOwnerOnly) else { return socket }
            code = refusal
        }
        throw .cannotListen(address, code: code)
    }

    private static func removeStale(_ path: String, at address: StreamAddress) throws(SocketFailure) {
        guard let file = FileIdentity(path: path) else { return }
        guard file.isSocket else { throw .notASocket(address) }
        for place in try Socket.places(of: address, toListen: false) {
            guard let probe = Socket(family: place.family) else { continue }
            // Only a refusal says that nobody listens; a full queue or a missing permission does not.
            if case .failed(ECONNREFUSED) = probe.connect(to: place) { file.remove(path) }
        }
    }

    private func watch() {
        state.withLock { state in
            guard let descriptor = state.socket?.descriptor, state.watch == nil else { return }
            state.watch = loop.watch(descriptor, for: .readable) { [weak self] in self?.accept() }
        }
    }

    private func accept() {
        switch state.withLock({ $0.socket?.accept() }) {
        case .done(let accepted):
            handler(StreamConnection(Socket(taking: accepted), at: address, on: loop, sendLimit: sendLimit))
        case .failed:  // out of descriptors or memory: not better at once
            if let watch = state.withLock({ $0.watch.take() }) { loop.cancel(watch) }
            loop.call(at: loop.now.advanced(by: .milliseconds(100))) { [weak self] in self?.watch() }
        case .later, nil: break
        }
    }
}
