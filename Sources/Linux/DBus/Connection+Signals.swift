extension Connection {
    /// Something that is listened for, until `cancel`.
    public struct Subscription: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// Calls `handler` with each signal that `rule` wants, in the order in which they were sent, from now on.
    ///
    /// A rule whose sender is a name that programs take hears its owner only, whoever that is at the time.
    public func subscribe(
        _ rule: MatchRule, _ handler: @escaping @Sendable (Signal) -> Void
    ) async throws(CallFailure) -> Subscription {
        try await listen(.signals(rule, handler))
    }

    /// Calls `handler` with who owns `name`, nil for nobody: once before this returns, and then whenever it changes.
    public func watch(
        _ name: BusName, _ handler: @escaping @Sendable (BusName?) -> Void
    ) async throws(CallFailure) -> Subscription {
        try await listen(.owner(name, handler))
    }

    /// Calls the handler no more.
    public func cancel(_ subscription: Subscription) { stopListening(subscription.number) }
}

extension Connection {
    private func listen(_ kind: Listeners.Kind) async throws(CallFailure) -> Subscription {
        let number = listeners.add(kind)
        do throws(CallFailure) {
            for rule in kind.rules {
                guard !rule.text.utf8.contains(0) else { throw .invalidArgument(InvalidArgument("a rule has a NUL")) }
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

    /// Asks who owns `name`; all who listen are told before any change that comes behind the answer.
    private func findOwner(of name: BusName) async throws(CallFailure) {
        let waiting = Waiting()
        let question = Call.bus("GetNameOwner", [.string(name.text)], answer: "s")
        try ask(question) { [weak self] result in
            self?.assumeIsolated { connection in
                switch result {
                case .success(let values):
                    connection.note(values.first?.string.flatMap { try? BusName($0) }, of: name)
                    waiting.finish(result)
                case .failure(.remote(let error)) where error.name == "org.freedesktop.DBus.Error.NameHasNoOwner":
                    connection.note(nil, of: name)
                    waiting.finish(.success([]))
                case .failure: waiting.finish(result)
                }
            }
        }
        _ = try await withCheckedContinuation { waiting.wait($0) }.get()
    }

    private func stopListening(_ number: UInt64) {
        for rule in listeners.remove(number) {
            // The bus would only say that it has no such rule, and a closed connection has none.
            _ = try? ask(.bus("RemoveMatch", [.string(rule.text)])) { _ in }
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
