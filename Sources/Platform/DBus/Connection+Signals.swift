extension Connection {
    /// Identifies a subscription, until `cancel`.
    public struct Subscription: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// Subscribes to the signals that match `rule` and calls `handler` with each, in the order in which they were sent.
    ///
    /// If the rule's sender is a well-known name, only signals of its current owner match.
    public func subscribe(
        _ rule: MatchRule, _ handler: @escaping @Sendable (Signal) -> Void
    ) async throws(CallFailure) -> Subscription {
        try await listen(.signals(rule, handler))
    }

    /// Subscribes as `subscribe` does, without waiting for the bus: the signals that it routes after later calls match.
    ///
    /// The rule's sender is not a well-known name.
    package func listen(
        to rule: MatchRule, _ handler: @escaping @Sendable (Signal) -> Void
    ) throws(CallFailure) -> Subscription {
        let kind = Listeners.Kind.signals(rule, handler)
        precondition(kind.name == nil, "the owner of a well-known name has to be found")
        _ = try call(.bus("AddMatch", [.string(rule.text)])) { _ in }
        return Subscription(number: listeners.add(kind))
    }

    /// Calls `handler` with the owner of `name`, or nil if it has none: once before this returns, then at each change.
    public func watchOwner(
        of name: BusName, _ handler: @escaping @Sendable (BusName?) -> Void
    ) async throws(CallFailure) -> Subscription {
        try await listen(.owner(name, handler))
    }

    /// Ends a subscription; its handler is not called again.
    public func cancel(_ subscription: Subscription) { stopListening(subscription.number) }
}

extension Connection {
    private func listen(_ kind: Listeners.Kind) async throws(CallFailure) -> Subscription {
        let number = listeners.add(kind)
        do throws(CallFailure) {
            for rule in kind.rules {
                guard !rule.text.utf8.contains(0) else {
                    throw .invalidArgument(InvalidArgument("the rule contains NUL"))
                }
                _ = try await call(.bus("AddMatch", [.string(rule.text)]))
            }
            if let name = kind.name, listeners.contains(number) {
                if listeners.owners[name] == nil { try await findOwner(of: name) }
                if let owner = listeners.owners[name] { note(owner, of: name) }
            }
        } catch {
            stopListening(number)
            throw error
        }
        return Subscription(number: number)
    }

    /// Asks the bus for the owner of `name`; listeners are called before any change that arrives after the reply.
    private func findOwner(of name: BusName) async throws(CallFailure) {
        let reply = ReplyContinuation()
        let query = Call.bus("GetNameOwner", [.string(name.text)], reply: "s")
        try call(query) { [weak self] result in
            self?.assumeIsolated { connection in
                switch result {
                case .success(let values):
                    connection.note(values.first?.string.flatMap { try? BusName($0) }, of: name)
                    reply.finish(result)
                case .failure(.remote(let error)) where error.name == "org.freedesktop.DBus.Error.NameHasNoOwner":
                    connection.note(nil, of: name)
                    reply.finish(.success([]))
                case .failure: reply.finish(result)
                }
            }
        }
        _ = try await withCheckedContinuation { reply.wait($0) }.get()
    }

    private func stopListening(_ number: UInt64) {
        for rule in listeners.remove(number) {
            // Errors do not matter: either the bus has no such rule, or the connection is closed.
            _ = try? call(.bus("RemoveMatch", [.string(rule.text)])) { _ in }
        }
    }

    private func note(_ owner: BusName?, of name: BusName) {
        for (number, handler) in listeners.note(owner, of: name) where listeners.contains(number) { handler(owner) }
    }

    func receivedSignal(_ message: borrowing Message) {
        guard let sender = message.sender, let path = message.path, let interface = message.interface,
            let member = message.member, !listeners.all.isEmpty, let arguments = try? message.values()
        else { return }
        var signal = Signal(path, interface, member, arguments)
        signal.sender = sender
        if sender == .bus, interface == .bus, member == .nameOwnerChanged, arguments.match("sss") {
            let texts = arguments.compactMap(\.string)
            if let name = try? BusName(texts[0]) { note(try? BusName(texts[2]), of: name) }
        }
        for (number, handler) in listeners.listeners(to: signal) where listeners.contains(number) { handler(signal) }
    }
}
