import Glibc
public import Simulation
import Synchronization

/// One end of a stream of octets, on an event loop at the real pace.
///
/// Nothing blocks: octets that the system does not take yet wait in a queue of limited length.  All calls come from
/// the loop's thread, and so do all events.  A connection lives until `close`, or until `.ended` or `.failed`, which
/// come once and last.
public final class StreamConnection: Sendable {
    /// What happens at this end.
    public enum Event: Sendable {
        /// The other side is there; octets sent earlier go out now.
        case opened
        /// Some octets, one at least, in the order in which they were sent.
        case received([UInt8])
        /// The other side has closed the stream in good order.
        case ended
        /// The stream could not be opened, or broke.
        case failed(SocketFailure)
    }

    /// Takes an event; it may call the connection, and close it.
    public typealias Handler = @Sendable (Event) -> Void

    private enum Phase {
        case opening(rest: ArraySlice<Socket.Place>)
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

    /// The most octets that wait for the other side by default.
    public static let defaultLimit = 1 << 20
    private static let chunk = 1 << 14  // in each turn one at the most; then others have theirs

    private let loop: EventLoop
    private let address: StreamAddress
    private let limit: Int
    private let state: Mutex<State>

    /// A stream to `address`, begun by `start`; throws when its host is not to be found.
    public init(
        to address: StreamAddress, on loop: EventLoop, sendLimit limit: Int = defaultLimit
    ) throws(SocketFailure) {
        let places = try Socket.places(of: address, toListen: false)
        (self.loop, self.address, self.limit) = (loop, address, limit)
        state = Mutex(State(socket: nil, phase: .opening(rest: places[...])))
    }

    /// A stream that a listener at `address` has accepted.
    init(_ socket: consuming Socket, at address: StreamAddress, on loop: EventLoop, sendLimit limit: Int) {
        (self.loop, self.address, self.limit) = (loop, address, limit)
        if case .tcp = address { socket.sendWithoutDelay() }
        state = Mutex(State(socket: socket, phase: .open))
    }

    deinit { close() }

    /// How many octets wait for the other side.
    public var queued: Int { state.withLock { $0.queue.count - $0.sent } }

    /// Tells `handler` all events from now on; once.  What has happened is told from the loop's next turn on.
    public func start(_ handler: @escaping Handler) {
        let isOpen = state.withLock { state in
            state.handler = handler
            if case .open = state.phase { return true }
            return false
        }
        loop.call(at: loop.now) { [weak self] in
            if isOpen { self?.hasOpened() } else { self?.openNext(after: ECONNREFUSED) }
        }
    }

    /// Sends octets behind those sent before; nothing when the stream is closed.
    ///
    /// When more than the limit would have to wait, the stream is closed, and `.failed` is told on the next turn.
    public func send(_ octets: some Sequence<UInt8>) {
        let isTaken = state.withLock { state in
            if case .closed = state.phase { return false }
            guard state.queue.count - state.sent <= limit else { return false }  // to be closed on the next turn
            state.queue.append(contentsOf: octets)
            return true
        }
        guard isTaken else { return }
        flush()
        guard queued > limit else { return }
        loop.call(at: loop.now) { [weak self] in
            if let self { end(.failed(.neverReads(limit: limit))) }
        }
    }

    /// Takes no octets from the other side until `resume`, so that it has to wait.
    public func pause() {
        if let watch = state.withLock({ $0.reading.take() }) { loop.cancel(watch) }
    }

    /// Takes octets again.
    public func resume() {
        state.withLock { state in
            guard case .open = state.phase, state.reading == nil, let descriptor = state.socket?.descriptor else {
                return
            }
            state.reading = loop.watch(descriptor, for: .readable) { [weak self] in self?.receive() }
        }
    }

    /// Ends the stream and tells nothing more; what still waits is lost.  Again is no mistake.
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
    }
}

extension StreamConnection {
    private func tell(_ event: Event) { state.withLock { $0.handler }?(event) }

    /// Closes, and tells why.
    private func end(_ event: Event) {
        let handler = state.withLock { $0.handler }
        close()
        handler?(event)
    }

    /// Tries the next place of the address; `code` is what became of the one before.
    private func openNext(after code: Int32) {
        var code = code
        while true {
            let attempt: Socket.Outcome<Void>? = state.withLock { state in
                guard case .opening(var rest) = state.phase, let place = rest.popFirst() else { return nil }
                state.phase = .opening(rest: rest)
                state.socket = Socket(family: place.family)
                return state.socket?.connect(to: place) ?? .failed(errno)
            }
            switch attempt {
            case .done: return hasOpened()
            case .later: return watchOpening()
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
                if let code = self.state.withLock({ $0.socket?.connected() }) ?? nil {
                    openNext(after: code)
                } else {
                    hasOpened()
                }
            }
        }
    }

    private func hasOpened() {
        let isOpen = state.withLock { state in
            if case .closed = state.phase { return false }
            if case .opening = state.phase, case .tcp = address { state.socket?.sendWithoutDelay() }
            state.phase = .open
            return true
        }
        guard isOpen else { return }
        resume()
        tell(.opened)
        flush()
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        let outcome = state.withLock { state in
            state.reading == nil ? .later : state.socket?.receive(into: &buffer) ?? .later
        }
        switch outcome {
        case .done(0): end(.ended)
        case .done(let count):
            buffer.removeLast(buffer.count - count)
            tell(.received(buffer))
        case .later: break
        case .failed(let code): end(.failed(.broken(code: code)))
        }
    }

    /// Gives the system what it takes, and comes back when it takes more.
    private func flush() {
        let failure: Int32? = state.withLock { state in
            guard case .open = state.phase else { return nil }
            while state.sent < state.queue.count {
                switch state.socket?.send(state.queue[state.sent...]) ?? .later {
                case .done(let count): state.sent += count
                case .later:
                    if state.sent > Self.chunk {
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
