import Basics

/// A call waiting for its reply.
struct PendingCall: Sendable {
    let serial: UInt32
    let destination: BusName
    let reply: Signature
    let timeout: EventLoop.ScheduledCall
    let completion: @Sendable (Result<[Value], CallFailure>) -> Void

    /// Whether a reply comes from the called program, or from the bus on its behalf.
    ///
    /// A session bus lets any program reply to any call. Only the bus knows who owned a well-known name at the time of
    /// the call, so then every sender is accepted.
    func accepts(_ reply: borrowing Message) -> Bool {
        guard destination.isUnique || destination == .bus else { return true }
        let sender = reply.sender
        return sender == destination || sender == .bus
    }
}

extension Connection {
    /// Calls a method of another program and waits for the reply.
    ///
    /// - Parameter call: The call.
    /// - Returns: The results, of the types in `call.reply`.
    /// - Throws: `CallFailure`; if the task is cancelled, `.cancelled`, and the reply will be ignored.
    public func call(_ call: Call) async throws(CallFailure) -> [Value] {
        let reply = ReplyContinuation()
        let serial = try self.call(call) { reply.finish($0) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { reply.wait($0) }
        } onCancel: {
            loop.call(at: loop.now) { [weak self] in
                self?.assumeIsolated { connection in
                    if let call = connection.pending[serial] { connection.finish(call, .failure(.cancelled)) }
                }
            }
        }
        return try result.get()
    }

    /// Calls a method and returns the serial of the call.
    ///
    /// `completion` is called once on the loop's thread, before the next message is processed, so that the order of the
    /// reply and other messages is known.
    @discardableResult
    public func call(
        _ call: Call, completion: @escaping @Sendable (Result<[Value], CallFailure>) -> Void
    ) throws(CallFailure) -> UInt32 {
        let message = Message(calling: call.member, of: call.interface, at: call.path, on: call.destination)
        try append(call.arguments, to: message)
        let serial = try send(message)
        let timeout = loop.call(at: loop.now.advanced(by: call.timeout)) { [weak self] in
            self?.assumeIsolated { connection in
                guard let pending = connection.pending[serial] else { return }
                connection.finish(pending, .failure(.timedOut(after: call.timeout)))
            }
        }
        pending[serial] = PendingCall(
            serial: serial, destination: call.destination, reply: call.reply, timeout: timeout,
            completion: completion)
        return serial
    }

    /// Calls a method whose results and failure do not matter: the called program does not reply.
    package func send(_ call: Call) throws(CallFailure) {
        let message = Message(calling: call.member, of: call.interface, at: call.path, on: call.destination)
        message.expectNoReply()
        try append(call.arguments, to: message)
        _ = try send(message)
    }

    func finish(_ call: PendingCall, _ result: Result<[Value], CallFailure>) {
        guard pending.removeValue(forKey: call.serial) != nil else { return }
        call.timeout.cancel()
        call.completion(result)
    }

    /// The values of a reply, if they have the expected types.
    func result(of call: PendingCall, _ message: borrowing Message) -> Result<[Value], CallFailure> {
        do throws(UnreadableMessage) {
            let values = try message.values()
            guard values.match(call.reply) else {
                return .failure(.malformedReply(expected: call.reply, found: values.signatureText))
            }
            return .success(values)
        } catch {
            return .failure(.malformedReply(expected: call.reply, found: error.reason))
        }
    }
}
