public import Basics
import Glibc
import Synchronization

/// One end of a stream, on an event loop at the real pace.
///
/// Nothing blocks: octets that the system does not accept yet wait in a queue of limited length. All methods must be
/// called on the loop's thread, where all events are delivered. `.ended` and `.failed` are final, as is `close`.
public final class StreamConnection: Sendable {
    /// An event of the stream.
    public enum Event: Sendable {
        /// The stream is open; octets sent before are transmitted now.
        case opened
        /// Octets arrived, at least one.
        case received([UInt8])
        /// The other side closed the stream cleanly.
        case ended
        /// The stream could not be opened or broke.
        case failed(SocketFailure)
    }

    /// Handles an event; may call the connection's methods, including `close`.
    public typealias Handler = @Sendable (Event) -> Void

    private enum Phase {
        case opening(remaining: ArraySlice<Socket.ResolvedAddress>)
        case open
        case closed
    }

    private struct State: ~Copyable {
        var socket: Socket?
        var phase: Phase
        var handler: Handler?
        var reading: EventLoop.Watch?
        var writing: EventLoop.Watch?
        var queue: [UInt8] = []
        var sent = 0  // of `queue`
    }

    /// Default limit for the octets waiting to be sent.
    public static let defaultLimit = 1 << 20
    private static let chunkSize = 1 << 14  // one chunk per turn, so that other events are not delayed

    private let loop: EventLoop
    private let address: StreamAddress
    private let limit: Int
    private let state: Mutex<State>

    /// A stream to `address`, opened by `start`; throws if the host cannot be resolved.
    public init(
        to address: StreamAddress, on loop: EventLoop, sendLimit limit: Int = defaultLimit
    ) throws(SocketFailure) {
        let addresses = try Socket.resolve(address, toListen: false)
        (self.loop, self.address, self.limit) = (loop, address, limit)
        state = Mutex(State(socket: nil, phase: .opening(remaining: addresses[...])))
    }

    /// A stream accepted by a listener at `address`.
    init(_ socket: consuming Socket, at address: StreamAddress, on loop: EventLoop, sendLimit limit: Int) {
        (self.loop, self.address, self.limit) = (loop, address, limit)
        if case .tcp = address { socket.sendWithoutDelay() }
        state = Mutex(State(socket: socket, phase: .open))
    }

    deinit { close() }

    /// Number of octets waiting to be sent.
    public var queued: Int { state.withLock { $0.queue.count - $0.sent } }

    /// Opens the stream and delivers all events to `handler`, beginning with the loop's next turn. Must be called once.
    public func start(_ handler: @escaping Handler) {
        let isOpen = state.withLock { state in
            state.handler = handler
            if case .open = state.phase { return true }
            return false
        }
        loop.call(at: loop.now) { [weak self] in
            if isOpen { self?.didOpen() } else { self?.openNext(after: ECONNREFUSED) }
        }
    }

    /// Sends octets; has no effect once the stream is closed.
    ///
    /// If more octets than the limit are waiting, the stream is closed and `.failed` is delivered on the next turn.
    public func send(_ octets: some Sequence<UInt8>) {
        let isAccepted = state.withLock { state in
            if case .closed = state.phase { return false }
            guard state.queue.count - state.sent <= limit else { return false }  // will be closed on the next turn
            state.queue.append(contentsOf: octets)
            return true
        }
        guard isAccepted else { return }
        flush()
        guard queued > limit else { return }
        loop.call(at: loop.now) { [weak self] in
            if let self { end(.failed(.neverReads(limit: limit))) }
        }
    }

    /// Stops receiving until `resume`, so that the other side has to wait.
    public func pause() {
        if let watch = state.withLock({ $0.reading.take() }) { loop.cancel(watch) }
    }

    /// Receives again after `pause`.
    public func resume() {
        state.withLock { state in
            guard case .open = state.phase, state.reading == nil, let descriptor = state.socket?.descriptor else {
                return
            }
            state.reading = loop.watch(descriptor, for: .readable) { [weak self] in self?.receive() }
        }
    }

    /// Closes the stream without an event; octets waiting to be sent are lost. Closing twice has no effect.
    public func close() {
        state.withLock { state in
            for watch in [state.reading.take(), state.writing.take()] {
                if let watch { loop.cancel(watch) }
            }
            state.phase = .closed
            state.handler = nil
            state.queue = []
            state.sent = 0
            state.socket = nil
        }
        loop.noteStimulus()
    }
}

extension StreamConnection {
    private func emit(_ event: Event) { state.withLock { $0.handler }?(event) }

    /// Closes the stream and delivers its last event.
    private func end(_ event: Event) {
        let handler = state.withLock { $0.handler }
        close()
        handler?(event)
    }

    /// Tries to connect to the next system address; `code` is the error of the previous one.
    private func openNext(after code: Int32) {
        defer { loop.noteStimulus() }
        var code = code
        while true {
            let attempt: Socket.Outcome<Void>? = state.withLock { state in
                guard case .opening(var remaining) = state.phase, let next = remaining.popFirst() else { return nil }
                state.phase = .opening(remaining: remaining)
                state.socket = Socket(family: next.family)
                return state.socket?.connect(to: next) ?? .failed(errno)
            }
            switch attempt {
            case .done: return didOpen()
            case .wouldBlock: return watchOpening()
            case .failed(let reason): code = reason
            case nil: return end(.failed(.cannotConnect(address, code: code)))
            }
        }
    }

    private func watchOpening() {
        state.withLock { state in
            guard let descriptor = state.socket?.descriptor else { return }
            state.writing = loop.watch(descriptor, for: .writable) { [weak self] in
                guard let self else { return }
                if let watch = self.state.withLock({ $0.writing.take() }) { loop.cancel(watch) }
                if let code = self.state.withLock({ $0.socket?.connectionError() }) ?? nil {
                    openNext(after: code)
                } else {
                    didOpen()
                }
            }
        }
    }

    private func didOpen() {
        let isOpen = state.withLock { state in
            if case .closed = state.phase { return false }
            if case .opening = state.phase, case .tcp = address { state.socket?.sendWithoutDelay() }
            state.phase = .open
            return true
        }
        guard isOpen else { return }
        resume()
        emit(.opened)
        flush()
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: Self.chunkSize)
        let outcome = state.withLock { state in
            state.reading == nil ? .wouldBlock : state.socket?.receive(into: &buffer) ?? .wouldBlock
        }
        switch outcome {
        case .done(0): end(.ended)
        case .done(let count):
            buffer.removeLast(buffer.count - count)
            emit(.received(buffer))
        case .wouldBlock: break
        case .failed(let code): end(.failed(.broken(code: code)))
        }
    }

    /// Sends what the system accepts, and continues when it accepts more.
    private func flush() {
        defer { loop.noteStimulus() }
        let failure: Int32? = state.withLock { state in
            guard case .open = state.phase else { return nil }
            while state.sent < state.queue.count {
                switch state.socket?.send(state.queue[state.sent...]) ?? .wouldBlock {
                case .done(let count): state.sent += count
                case .wouldBlock:
                    if state.sent > Self.chunkSize {
                        state.queue.removeFirst(state.sent)
                        state.sent = 0
                    }
                    if state.writing == nil, let descriptor = state.socket?.descriptor {
                        state.writing = loop.watch(descriptor, for: .writable) { [weak self] in self?.flush() }
                    }
                    return nil
                case .failed(let code): return code
                }
            }
            state.queue.removeAll(keepingCapacity: true)
            state.sent = 0
            if let watch = state.writing.take() { loop.cancel(watch) }
            return nil
        }
        guard let failure else { return }
        loop.call(at: loop.now) { [weak self] in self?.end(.failed(.broken(code: failure))) }
    }
}
