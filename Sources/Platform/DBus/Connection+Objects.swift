extension Connection {
    /// Exports an object, replacing one at the same path, and announces it through the object managers above its path.
    ///
    /// The connection retains the object and its closures until `unexport` or `close`. Throws, and changes nothing, if
    /// a property has a value that D-Bus does not allow.
    public func export(_ object: ExportedObject) throws(CallFailure) {
        guard isOpen else { throw .disconnected }
        do { _ = try [object.values].checkedSignature() } catch { throw .invalidArgument(error) }
        unexport(object.path)
        objects.insert(object)
        for manager in objects.managers(above: object.path) {
            try emit(Signal(manager, .objectManager, "InterfacesAdded", [.path(object.path), object.values]))
        }
    }

    /// Removes an object and announces that through the object managers above its path.
    public func unexport(_ path: ObjectPath) {
        guard let object = objects.remove(path) else { return }
        let interfaces = Value.strings(object.interfaces.map(\.name.text))
        for manager in objects.managers(above: path) {
            try? emit(Signal(manager, .objectManager, "InterfacesRemoved", [.path(path), interfaces]))
        }
    }

    /// Adds the interface `ObjectManager` at `path`, for all objects below it.
    public func addObjectManager(at path: ObjectPath) { objects.addManager(at: path) }

    /// Removes `ObjectManager` from `path`; the objects stay.
    public func removeObjectManager(at path: ObjectPath) { objects.removeManager(at: path) }

    /// Announces changed properties of an object: `changed` with their new values, `invalidated` without.
    public func emitPropertiesChanged(
        of interface: InterfaceName, at path: ObjectPath, _ changed: [(name: MemberName, value: Value)],
        invalidated: [MemberName] = []
    ) throws(CallFailure) {
        let values = Value.options(changed.map { ($0.name.text, $0.value) })
        let arguments = [.string(interface.text), values, .strings(invalidated.map(\.text))]
        try emit(Signal(path, .properties, "PropertiesChanged", arguments))
    }

    func receivedCall(_ message: borrowing Message, _ reference: Message.CallReference, expectsReply: Bool) {
        let replying: Invocation.Replying = { [weak self] result in
            guard expectsReply else { return }
            self?.assumeIsolated { $0.reply(to: reference, result) }
        }
        guard let path = message.path, let member = message.member else { return }
        let interface = message.interface
        do throws(MethodError) {
            let arguments = try read(message)
            if let callHandler {
                return callHandler(
                    ReceivedCall(
                        path: path, interface: interface, member: member, signature: message.signature,
                        arguments: arguments, sender: reference.sender, serial: reference.serial,
                        replying: replying))
            }
            let method = try objects.method(member, of: interface, at: path, with: arguments) { [weak self] in
                self?.assumeIsolated { [name = $0, property = $1] in $0.wasSet(property, of: name, at: path) }
            }
            method.body(
                Invocation(method, at: path, by: reference.sender, with: arguments, on: loop, replying: replying))
        } catch {
            replying(.failure(error))
        }
    }

    private func read(_ message: borrowing Message) throws(MethodError) -> [Value] {
        do { return try message.values() } catch { throw MethodError(.limitsExceeded, error.reason) }
    }

    private func wasSet(_ property: Property, of interface: InterfaceName, at path: ObjectPath) {
        switch property.change {
        case .emitted:
            guard let value = property.value else { return }
            try? emitPropertiesChanged(of: interface, at: path, [(property.name, value)])
        case .invalidated: try? emitPropertiesChanged(of: interface, at: path, [], invalidated: [property.name])
        case .constant, .unannounced: break
        }
    }

    /// Sends a reply. Results that D-Bus does not allow are replaced by an error; a reply on a closed connection is
    /// lost.
    private func reply(to call: Message.CallReference, _ result: Result<[Value], MethodError>) {
        do throws(CallFailure) {
            switch result {
            case .success(let values):
                let message = Message(replyingTo: call)
                try append(values, to: message)
                _ = try send(message)
            case .failure(let error): _ = try send(Message(replyingTo: call, with: error))
            }
        } catch .invalidArgument(let problem) {
            _ = try? send(Message(replyingTo: call, with: MethodError(.failed, problem.description)))
        } catch {}
    }
}
