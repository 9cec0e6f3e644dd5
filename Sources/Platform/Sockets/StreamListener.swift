public import Basics
import Glibc
import Synchronization

/// Accepts connections at an address, on an event loop at the real pace.
public final class StreamListener: Sendable {
    /// Handles an accepted connection: starts or closes it.
    public typealias Handler = @Sendable (StreamConnection) -> Void

    private struct State: ~Copyable {
        var socket: Socket?
        var watch: EventLoop.Watch?
    }

    /// The address, with the actual port if port 0 was requested.
    public let address: StreamAddress
    private let loop: EventLoop
    private let sendLimit: Int
    private let handler: Handler
    private let file: FileIdentity?
    private let state: Mutex<State>

    /// Starts listening. A socket file without a listener is replaced; any other existing file is left untouched and makes
    /// this fail. If `forOwnerOnly`, only processes of the same user can connect to a socket file.
    public init(
        at address: StreamAddress, on loop: EventLoop, sendLimit: Int = StreamConnection.defaultLimit,
        forOwnerOnly: Bool = false, whenConnected handler: @escaping Handler
    ) throws(SocketFailure) {
        let lock = try Self.lock(address)
        if case .unix(let path) = address { try Self.removeStale(path, at: address) }
        let socket = try Self.listen(at: address, forOwnerOnly: forOwnerOnly)
        withExtendedLifetime(lock) {}
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

    /// Stops listening and removes the socket file; accepted connections stay open. Closing twice has no effect.
    public func close() {
        state.withLock { state in
            if let watch = state.watch.take() { loop.cancel(watch) }
            // The file goes first: as soon as nobody listens, another process may replace it, with the same inode.
            if state.socket != nil, case .unix(let path) = address { file?.remove(path) }
            state.socket = nil
        }
        loop.noteStimulus()
    }

    /// Listens at a TCP port for a library that accepts connections itself, and closes the descriptor in the end.
    ///
    /// - Returns: The non-blocking descriptor, and the actual port.
    package static func descriptor(
        listeningAt host: String, port: UInt16
    ) throws(SocketFailure) -> (descriptor: CInt, port: UInt16) {
        let socket = try listen(at: .tcp(host: host, port: port), forOwnerOnly: false)
        let actual = socket.port ?? port
        return (socket.release(), actual)
    }

    private static func listen(at address: StreamAddress, forOwnerOnly: Bool) throws(SocketFailure) -> Socket {
        var code = EADDRNOTAVAIL
        for resolved in try Socket.resolve(address, toListen: true) {
            guard let socket = Socket(family: resolved.family) else {
                code = errno
                continue
            }
            guard let error = socket.listen(at: resolved, forOwnerOnly: forOwnerOnly) else { return socket }
            code = error
        }
        throw .cannotListen(address, code: code)
    }

    /// Lets one process at a time find out that nobody listens at a socket file, and listen there: of two that begin at once,
    /// both would replace the file. Nil for other addresses, and where no file can be created.
    private static func lock(_ address: StreamAddress) throws(SocketFailure) -> FileLock? {
        guard case .unix(let path) = address else { return nil }
        do throws(FileLock.Refusal) { return try FileLock.wait(for: path) } catch {
            if case .occupied(let other) = error { throw .occupiedLock(address, path: other) }
            throw .cannotListen(address, code: EADDRINUSE)
        }
    }

    private static func removeStale(_ path: String, at address: StreamAddress) throws(SocketFailure) {
        guard let file = FileIdentity(path: path) else { return }
        guard file.isSocket else { throw .notASocket(address) }
        for resolved in try Socket.resolve(address, toListen: false) {
            guard let probe = Socket(family: resolved.family) else { continue }
            // Other errors, such as a full queue or a missing permission, do not prove that nobody listens.
            if case .failed(ECONNREFUSED) = probe.connect(to: resolved) { file.remove(path) }
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
        case .failed:  // out of descriptors or memory: try again later
            if let watch = state.withLock({ $0.watch.take() }) { loop.cancel(watch) }
            loop.call(at: loop.now.advanced(by: .milliseconds(100))) { [weak self] in self?.watch() }
        case .wouldBlock, nil: break
        }
    }
}
