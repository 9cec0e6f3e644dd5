extension Connection {
    /// Lets others find an object, in place of one that was there; managers above it tell of it.
    ///
    /// The object, and what its closures hold, is kept until `withdraw` or `close`.
    /// Throws, and changes nothing, when a property has a value that D-Bus does not allow.
    public func export(_ object: ExportedObject) throws(CallFailure) {
        guard isOpen else { throw .disconnected }
        do { _ = try [object.values].checkedSignature() } catch { throw .invalidArgument(error) }
        withdraw(object.path)
        objects.insert(object)
        for manager in objects.managers(above: object.path) {
            try emit(Signal(manager, .objectManager, "InterfacesAdded", [.path(object.path), object.values]))
        }
    }

    /// Takes an object away; managers above it tell of that.
    public func withdraw(_ path: ObjectPath) {
        guard let object = objects.remove(path) else { return }
        let interfaces = Value.strings(object.interfaces.map(\.name.text))
        for manager in objects.managers(above: path) {
            try? emit(Signal(manager, .objectManager, "InterfacesRemoved", [.path(path), interfaces]))
        }
    }

    /// Makes `path` the root of an application: it has `ObjectManager`, for all objects below it.
    public func manage(_ path: ObjectPath) { objects.manage(path) }

    /// Takes `ObjectManager` from `path` again; the objects stay.
    public func stopManaging(_ path: ObjectPath) { objects.unmanage(path) }

    /// Tells others that properties of an object changed: `changed` with their new values, `invalidated` without.
    public func emitChange(
        of interface: InterfaceName, at path: ObjectPath, _ changed: [(name: MemberName, value: Value)],
        invalidated: [MemberName] = []
    ) throws(CallFailure) {
        let values = Value.options(changed.map { ($0.name.text, $0.value) })
        let arguments = [.string(interface.text), values, .strings(invalidated.map(\.text))]
        try emit(Signal(path, .properties, "PropertiesChanged", arguments))
    }

    func receivedCall(_ message: borrowing Message, _ question: Message.Question, wantsAnswer: Bool) {
        let answering: Invocation.Answering = { [weak self] result in
            guard wantsAnswer else { return }
            self?.assumeIsolated { $0.answer(question, result) }
        }
        guard let path = message.path, let member = message.member else { return }
        let interface = message.interface
        do throws(Refusal) {
            let arguments = try read(message)
            let method = try objects.method(member, of: interface, at: path, with: arguments) { [weak self] in
                self?.assumeIsolated { [name = $0, property = $1] in $0.wasSet(property, of: name, at: path) }
            }
            method.body(
                Invocation(method, at: path, by: question.sender, with: arguments, on: loop, answering: answering))
        } catch {
            answering(.failure(error))
        }
    }

    private func read(_ message: borrowing Message) throws(Refusal) -> [Value] {
        do { return try message.values() } catch { throw Refusal(.limitsExceeded, error.reason) }
    }

    private func wasSet(_ property: Property, of interface: InterfaceName, at path: ObjectPath) {
        switch property.change {
        case .told:
            guard let value = property.value else { return }
            try? emitChange(of: interface, at: path, [(property.name, value)])
        case .invalidated: try? emitChange(of: interface, at: path, [], invalidated: [property.name])
        case .never, .untold: break
        }
    }

    /// Sends an answer; one that D-Bus does not allow becomes an error, and one for nobody is lost.
    private func answer(_ question: Message.Question, _ result: Result<[Value], Refusal>) {
        do throws(CallFailure) {
            switch result {
            case .success(let values):
                let message = Message(answering: question)
                try append(values, to: message)
                _ = try send(message)
            case .failure(let refusal): _ = try send(Message(refusing: question, by: refusal))
            }
        } catch .invalidArgument(let problem) {
            _ = try? send(Message(refusing: question, by: Refusal(.failed, problem.description)))
        } catch {}
    }
}
