public import Basics

/// A connection to a message bus, on the thread of an event loop at the real pace.
///
/// Nothing blocks, and no data from the bus makes it trap: malformed data closes the connection. All handlers are
/// called on the loop's thread, one at a time; they may call the connection with `assumeIsolated`, and may close it. A
/// closed connection cannot be reopened: open another one.
public actor Connection: LoopActor {
    /// The loop on which the connection lives.
    public nonisolated let loop: EventLoop

    /// The unique name that the bus assigned to this connection: `:1.42`.
    public private(set) var name: BusName?

    private var handle: BusHandle?  // nil: closed
    private var reading: EventLoop.Watch?
    private var writing: EventLoop.Watch?
    private var whenDisconnected: (@Sendable () -> Void)?
    var pending: [UInt32: PendingCall] = [:]
    var objects = ObjectTree()
    var listeners = Listeners()
    var callHandler: (@Sendable (ReceivedCall) -> Void)?

    private init(address: String, on loop: EventLoop) throws(RemoteError) {
        self.loop = loop
        handle = try BusHandle(address: address)
    }

    deinit {
        for watch in [reading, writing] {
            if let watch { loop.cancel(watch) }
        }
    }

    /// Connects to a bus and registers with it.
    ///
    /// - Parameters:
    ///   - address: The bus.
    ///   - loop: The loop on which the connection lives, at the real pace.
    ///   - limit: How long the bus has to answer.
    ///   - whenDisconnected: Called once if the bus closes the connection; not called after `close`.
    /// - Returns: The open connection.
    /// - Throws: `ConnectionFailure` if no bus is there or it rejects the connection.
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
        await connection.setDisconnectHandler(whenDisconnected)
        return connection
    }

    /// Whether the connection is open.
    public var isOpen: Bool { handle != nil }

    /// Closes the connection: pending calls fail, no more handlers are called, and exported objects disappear from the
    /// bus. Closing twice has no effect.
    public func close() {
        for watch in [reading.take(), writing.take()] {
            if let watch { loop.cancel(watch) }
        }
        handle = nil
        loop.noteStimulus()
        whenDisconnected = nil
        listeners = Listeners()
        objects = ObjectTree()
        callHandler = nil
        for call in pending.values.sorted(by: { $0.serial < $1.serial }) { finish(call, .failure(.disconnected)) }
    }

    /// Sends a signal to all programs that subscribe to it.
    public func emit(_ signal: Signal) throws(CallFailure) {
        let message = Message(signal: signal.member, of: signal.interface, at: signal.path)
        try append(signal.arguments, to: message)
        _ = try send(message)
    }
}

extension Connection {
    private func setDisconnectHandler(_ whenDisconnected: (@Sendable () -> Void)?) {
        self.whenDisconnected = whenDisconnected
        if handle == nil { onNextTurn { $0.end() } }
    }

    private func sayHello(within limit: Duration) async throws(CallFailure) {
        guard let descriptor = handle?.descriptor else { throw .disconnected }
        reading = loop.watch(descriptor, for: .readable) { [weak self] in self?.assumeIsolated { $0.process() } }
        var hello = Call.bus("Hello", [], reply: "s")
        hello.timeout = limit
        let reply = try await call(hello)
        name = reply.first?.string.flatMap { try? BusName($0) }
    }

    /// Performs an action on the loop's next turn.
    func onNextTurn(_ action: @escaping @Sendable (isolated Connection) -> Void) {
        loop.call(at: loop.now) { [weak self] in self?.assumeIsolated { action($0) } }
    }

    // MARK: Sending

    /// Appends arguments to a message; throws if D-Bus does not allow them.
    func append(_ values: [Value], to message: borrowing Message) throws(CallFailure) {
        do { _ = try values.checkedSignature() } catch { throw .invalidArgument(error) }
        guard message.append(values) else {
            throw .invalidArgument(InvalidArgument("this process has too many open files to send one"))
        }
    }

    /// Queues a message and returns its serial.
    func send(_ message: borrowing Message) throws(CallFailure) -> UInt32 {
        if message.hasDescriptors, handle?.takesDescriptors == false {
            throw .invalidArgument(InvalidArgument("the bus does not take file descriptors"))
        }
        guard let serial = handle?.send(message) else { throw .disconnected }
        loop.noteStimulus()
        updateWatches()
        return serial
    }

    /// Watches the descriptor for writing as needed; ends a connection that broke, or whose bus does not read.
    private func updateWatches() {
        guard let isOpen = handle?.isOpen, let waiting = handle?.waiting else { return }
        let isOver = !isOpen || waiting > BusHandle.maximumMessageLength
        if isOver || handle?.needsWriting != true {
            if let watch = writing.take() { loop.cancel(watch) }
        } else if writing == nil, let descriptor = handle?.descriptor {
            writing = loop.watch(descriptor, for: .writable) { [weak self] in self?.assumeIsolated { $0.process() } }
        }
        guard isOver, let watch = reading.take() else { return }
        loop.cancel(watch)  // at once: the descriptor is closed already
        onNextTurn { $0.end() }
    }

    private func end() {
        let handler = whenDisconnected.take()
        close()
        handler?()
    }

    // MARK: Receiving

    private func process() {
        handle?.readAndWrite()
        while let message = handle?.next() { received(message) }
        updateWatches()
    }

    private func received(_ message: borrowing Message) {
        switch message.kind {
        case .reply(let serial):
            guard let call = pending[serial], call.accepts(message) else { return }
            finish(call, result(of: call, message))
        case .error(let serial, let name):
            guard let call = pending[serial], call.accepts(message) else { return }
            let text = (try? message.values())?.first?.string ?? ""
            finish(call, .failure(.remote(RemoteError(name: name, message: text))))
        case .signal: receivedSignal(message)
        case .call(let reference, let expectsReply): receivedCall(message, reference, expectsReply: expectsReply)
        case .unknown: break
        }
    }
}
