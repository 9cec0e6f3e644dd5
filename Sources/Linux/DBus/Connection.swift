public import Simulation

/// A connection to a message bus, on the thread of an event loop at the real pace.
///
/// Nothing blocks, and nothing that comes from the bus makes it trap: what is not well formed ends the connection.  All
/// handlers are called on the loop's thread, one at a time; they may call the connection, by `assumeIsolated`, and
/// close it.  When the bus goes away the connection is over, for good: whoever needs it opens another.
public actor Connection {
    nonisolated let loop: EventLoop
    /// The executor of the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// What the bus calls us: `:1.42`.
    public private(set) var name: BusName?

    private var handle: BusHandle?  // nil: closed
    private var reading: EventLoop.Watch?
    private var writing: EventLoop.Watch?
    private var whenDisconnected: (@Sendable () -> Void)?
    var pending: [UInt32: PendingCall] = [:]
    var objects = ObjectTree()
    var listeners = Listeners()

    private init(address: String, on loop: EventLoop) throws(RemoteError) {
        self.loop = loop
        handle = try BusHandle(address: address)
    }

    deinit {
        for watch in [reading, writing] {
            if let watch { loop.cancel(watch) }
        }
    }

    /// Connects to a bus and says hello.  `whenDisconnected` is called once if the bus goes away, not after `close`.
    public static func open(
        _ address: BusAddress, on loop: EventLoop, within limit: Duration = .seconds(10),
        whenDisconnected: (@Sendable () -> Void)? = nil
    ) async throws(ConnectionFailure) -> Connection {
        let connection: Connection
        do {
            connection = try Connection(address: address.text, on: loop)
        } catch {
            throw .unreachable(address: address.text, error)
        }
        do {
            try await connection.sayHello(within: limit)
        } catch {
            await connection.close()
            throw .refused(address: address.text, error)
        }
        await connection.tell(whenDisconnected)
        return connection
    }

    /// Whether calls and signals still go anywhere.
    public var isOpen: Bool { handle != nil }

    /// Ends the connection: calls that wait fail, handlers are not called any more, and the bus forgets what we
    /// exported.  Again is no mistake.
    public func close() {
        for watch in [reading.take(), writing.take()] {
            if let watch { loop.cancel(watch) }
        }
        handle = nil
        whenDisconnected = nil
        listeners = Listeners()
        objects = ObjectTree()
        for call in pending.values.sorted(by: { $0.number < $1.number }) { finish(call, .failure(.disconnected)) }
    }

    /// Sends a signal to all who want it.
    public func emit(_ signal: Signal) throws(CallFailure) {
        let message = Message(signal: signal.member, of: signal.interface, at: signal.path)
        try append(signal.arguments, to: message)
        _ = try send(message)
    }
}

extension Connection {
    private func tell(_ whenDisconnected: (@Sendable () -> Void)?) {
        self.whenDisconnected = whenDisconnected
        if handle == nil { later { $0.end() } }
    }

    private func sayHello(within limit: Duration) async throws(CallFailure) {
        guard let descriptor = handle?.descriptor else { throw .disconnected }
        reading = loop.watch(descriptor, for: .readable) { [weak self] in self?.assumeIsolated { $0.turn() } }
        var hello = Call.bus("Hello", [], answer: "s")
        hello.limit = limit
        let answer = try await call(hello)
        name = answer.first?.string.flatMap { try? BusName($0) }
    }

    /// Does something on the loop's next turn.
    func later(_ action: @escaping @Sendable (isolated Connection) -> Void) {
        loop.call(at: loop.now) { [weak self] in self?.assumeIsolated { action($0) } }
    }

    // MARK: Sending

    /// Adds arguments to a message; throws when they are not allowed.
    func append(_ values: [Value], to message: borrowing Message) throws(CallFailure) {
        do { _ = try values.checkedSignature() } catch { throw .invalidArgument(error) }
        message.append(values)
    }

    /// Queues a message, and returns its number.
    func send(_ message: borrowing Message) throws(CallFailure) -> UInt32 {
        guard let serial = handle?.send(message) else { throw .disconnected }
        lookAround()
        return serial
    }

    /// Watches for what can happen next; a connection that broke, or whose bus never reads, is ended.
    private func lookAround() {
        guard let isOpen = handle?.isOpen, let waiting = handle?.waiting else { return }
        let isOver = !isOpen || waiting > BusHandle.longestMessage
        if isOver || handle?.wantsToWrite != true {
            if let watch = writing.take() { loop.cancel(watch) }
        } else if writing == nil, let descriptor = handle?.descriptor {
            writing = loop.watch(descriptor, for: .writable) { [weak self] in self?.assumeIsolated { $0.turn() } }
        }
        guard isOver, let watch = reading.take() else { return }
        loop.cancel(watch)  // at once: the descriptor is closed already
        later { $0.end() }
    }

    private func end() {
        let handler = whenDisconnected.take()
        close()
        handler?()
    }

    // MARK: Receiving

    private func turn() {
        handle?.readAndWrite()
        while let message = handle?.next() { received(message) }
        lookAround()
    }

    private func received(_ message: borrowing Message) {
        switch message.kind {
        case .answer(let serial):
            guard let call = pending[serial], call.accepts(message) else { return }
            finish(call, result(of: call, message))
        case .error(let serial, let name):
            guard let call = pending[serial], call.accepts(message) else { return }
            let text = (try? message.values())?.first?.string ?? ""
            finish(call, .failure(.remote(RemoteError(name: name, message: text))))
        case .signal: receivedSignal(message)
        case .call(let question, let wantsAnswer): receivedCall(message, question, wantsAnswer: wantsAnswer)
        case .unknown: break
        }
    }
}
