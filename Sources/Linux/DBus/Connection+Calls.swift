import Simulation

/// A call that was sent and not answered yet.
struct PendingCall: Sendable {
    let number: UInt32
    let destination: BusName
    let answer: Signature
    let timeout: EventLoop.Appointment
    let completion: @Sendable (Result<[Value], CallFailure>) -> Void

    /// Whether an answer comes from the one that was asked, or from the bus in its place.
    ///
    /// A session bus lets anyone answer anything.  Who owned a name when the question came is known to the bus alone.
    func accepts(_ answer: borrowing Message) -> Bool {
        guard destination.isUnique || destination == .bus else { return true }
        let sender = answer.sender
        return sender == destination || sender == .bus
    }
}

extension Connection {
    /// Asks another program, and waits for its answer.
    ///
    /// The results are of the types that the call says.  If the task is cancelled, the answer will be ignored.
    public func call(_ call: Call) async throws(CallFailure) -> [Value] {
        let waiting = Waiting()
        let serial = try ask(call) { waiting.finish($0) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting.wait($0) }
        } onCancel: {
            loop.call(at: loop.now) { [weak self] in
                self?.assumeIsolated { connection in
                    if let call = connection.pending[serial] { connection.finish(call, .failure(.cancelled)) }
                }
            }
        }
        return try result.get()
    }

    /// Sends a call, and returns its number; `completion` is called on the loop's thread, once, and before the next
    /// message is looked at.  For who has to know what came before the answer and what behind it.
    @discardableResult
    public func ask(
        _ call: Call, completion: @escaping @Sendable (Result<[Value], CallFailure>) -> Void
    ) throws(CallFailure) -> UInt32 {
        let message = Message(calling: call.member, of: call.interface, at: call.path, on: call.destination)
        try append(call.arguments, to: message)
        let serial = try send(message)
        let timeout = loop.call(at: loop.now.advanced(by: call.limit)) { [weak self] in
            self?.assumeIsolated { connection in
                guard let pending = connection.pending[serial] else { return }
                connection.finish(pending, .failure(.timedOut(after: call.limit)))
            }
        }
        pending[serial] = PendingCall(
            number: serial, destination: call.destination, answer: call.answer, timeout: timeout,
            completion: completion)
        return serial
    }

    func finish(_ call: PendingCall, _ result: Result<[Value], CallFailure>) {
        guard pending.removeValue(forKey: call.number) != nil else { return }
        call.timeout.cancel()
        call.completion(result)
    }

    /// The values of an answer, if they are of the types that were asked for.
    func result(of call: PendingCall, _ message: borrowing Message) -> Result<[Value], CallFailure> {
        do throws(Unreadable) {
            let values = try message.values()
            guard values.match(call.answer) else {
                return .failure(.malformedReply(expected: call.answer, found: values.signatureText))
            }
            return .success(values)
        } catch {
            return .failure(.malformedReply(expected: call.answer, found: error.reason))
        }
    }
}
