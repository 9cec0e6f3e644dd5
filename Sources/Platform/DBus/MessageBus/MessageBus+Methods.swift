import Basics

/// The object of the bus itself.
///
/// Source: D-Bus Specification, "Message Bus Messages".
extension MessageBus {
    /// The body of a method of the bus: the results for a caller.
    private typealias Body = @Sendable (isolated MessageBus, BusProgram, [Value]) throws(MethodError) -> [Value]

    func busObject() -> ExportedObject {
        let methods = greetingMethods + nameMethods + queryMethods + ruleMethods
        let signals = [
            SignalDescription("NameOwnerChanged", Parameters("sss", "name", "old_owner", "new_owner")),
            SignalDescription("NameLost", Parameters("s", "name")),
            SignalDescription("NameAcquired", Parameters("s", "name")),
        ]
        let bus = Interface(
            .bus, methods: methods,
            properties: [
                Property("Features", constant: .strings([])),
                Property("Interfaces", constant: .strings(["org.freedesktop.DBus.Monitoring"])),
            ], signals: signals)
        let monitoring = Interface(
            "org.freedesktop.DBus.Monitoring",
            methods: [
                method("BecomeMonitor", "asu") { bus, program, arguments throws(MethodError) in
                    var rules: [ReceivedRule] = []
                    for text in arguments[0].strings ?? [] { rules.append(try Self.rule(text)) }
                    // The reply is the last message to it that is not a copy.
                    bus.afterReply { [rules, name = program.name.text] bus in
                        if let program = bus.program(named: name) { bus.becomeMonitor(program, rules) }
                    }
                    return []
                }
            ])
        return ExportedObject(.bus, [bus, monitoring])
    }

    private func method(
        _ name: MemberName, _ arguments: Signature = "", _ results: Signature = "", _ body: @escaping Body
    ) -> Method {
        Method(name, arguments: Parameters(arguments), results: Parameters(results)) { [weak self] invocation in
            self?.assumeIsolated { bus in
                guard let caller = invocation.sender, let program = bus.program(named: caller.text) else { return }
                do throws(MethodError) {
                    invocation.reply(try body(bus, program, invocation.arguments))
                } catch { invocation.fail(with: error) }
            }
        }
    }

    private var greetingMethods: [Method] {
        [
            method("Hello", "", "s") { _, _, _ throws(MethodError) in
                throw MethodError(.failed, "Already handled an Hello message")
            },
            method("GetId", "", "s") { bus, _, _ in [.string(bus.identifier)] },
            method("ReloadConfig") { _, _, _ in [] },
            method("UpdateActivationEnvironment", "a{ss}") { _, _, _ throws(MethodError) in
                throw MethodError(.accessDenied, "this bus starts no services")
            },
        ]
    }

    // MARK: Names

    private var nameMethods: [Method] {
        [
            method("RequestName", "su", "u") { bus, program, arguments throws(MethodError) in
                let name = try Self.wellKnownName(arguments[0])
                guard bus.names.count(of: program.number) < BusProgram.Limit.names else {
                    throw MethodError(.limitsExceeded, "the program has too many names")
                }
                let flags = NameRegistry<Int>.Request(rawValue: arguments[1].uint32 ?? 0)
                let (result, change) = bus.names.request(name, for: program.number, flags)
                bus.afterReply { bus in if let change { bus.announce(change) } }
                return [.uint32(result.rawValue)]
            },
            method("ReleaseName", "s", "u") { bus, program, arguments throws(MethodError) in
                let (result, change) = bus.names.release(try Self.wellKnownName(arguments[0]), by: program.number)
                bus.afterReply { bus in if let change { bus.announce(change) } }
                return [.uint32(result.rawValue)]
            },
            method("StartServiceByName", "su", "u") { bus, _, arguments throws(MethodError) in
                let name = arguments[0].string ?? ""
                guard bus.isKnown(name) else {
                    throw MethodError(.serviceUnknown, "The name \(name) was not provided by any .service files")
                }
                return [.uint32(2)]  // it runs already
            },
        ]
    }

    private static func wellKnownName(_ value: Value) throws(MethodError) -> BusName {
        let text = value.string ?? ""
        guard let name = try? BusName(text), !name.isUnique, name != .bus else {
            throw MethodError(.invalidArgs, "Cannot acquire a service named \(text.quoted)")
        }
        return name
    }

    private func isKnown(_ name: String) -> Bool { name == BusName.bus.text || program(named: name) != nil }

    /// Performs an action after the reply to the present call.
    fileprivate func afterReply(_ action: @escaping @Sendable (isolated MessageBus) -> Void) {
        loop.call(at: loop.now) { [weak self] in self?.assumeIsolated { action($0) } }
    }

    // MARK: Questions

    private var queryMethods: [Method] {
        [
            method("ListNames", "", "as") { bus, _, _ in
                [.strings(([.bus] + bus.names.names + bus.uniqueNames).map(\.text))]
            },
            method("ListActivatableNames", "", "as") { _, _, _ in [.strings([BusName.bus.text])] },
            method("NameHasOwner", "s", "b") { bus, _, arguments in [.boolean(bus.isKnown(arguments[0].string ?? ""))]
            },
            method("GetNameOwner", "s", "s") { bus, _, arguments throws(MethodError) in
                if arguments[0].string == BusName.bus.text { return [.string(BusName.bus.text)] }
                return [.string(try bus.owner(arguments, "owner").name.text)]
            },
            method("ListQueuedOwners", "s", "as") { bus, _, arguments throws(MethodError) in
                if arguments[0].string == BusName.bus.text { return [.strings([BusName.bus.text])] }
                let name = try? BusName(arguments[0].string ?? "")
                let queue = name.map { bus.names.queue(of: $0) } ?? []
                guard queue.isEmpty else { return [.strings(queue.map { BusName(unique: $0).text })] }
                return [.strings([try bus.owner(arguments, "owners").name.text])]
            },
            method("GetConnectionUnixUser", "s", "u") { bus, _, arguments throws(MethodError) in
                [.uint32(try bus.known(try bus.credentials(arguments, "UID").user))]
            },
            method("GetConnectionUnixProcessID", "s", "u") { bus, _, arguments throws(MethodError) in
                [.uint32(try bus.known(try bus.credentials(arguments, "PID").process))]
            },
            method("GetConnectionCredentials", "s", "a{sv}") { bus, _, arguments throws(MethodError) in
                let (user, process) = try bus.credentials(arguments, "credentials")
                return [
                    .options(
                        [("UnixUserID", user), ("ProcessID", process)].compactMap { name, value in
                            value.map { (name, .uint32($0)) }
                        })
                ]
            },
        ]
    }

    private func owner(_ arguments: [Value], _ what: String) throws(MethodError) -> BusProgram {
        let name = arguments[0].string ?? ""
        guard let program = program(named: name) else {
            throw MethodError(.nameHasNoOwner, "Could not get \(what) of name '\(name)': no such name")
        }
        return program
    }

    /// Of a program, or of the bus itself.
    private func credentials(
        _ arguments: [Value], _ what: String
    ) throws(MethodError) -> (user: UInt32?, process: UInt32?) {
        if arguments[0].string == BusName.bus.text { return BusHandle.ownCredentials }
        return try owner(arguments, what).handle.credentials
    }

    private func known(_ number: UInt32?) throws(MethodError) -> UInt32 {
        guard let number else { throw MethodError(.failed, "the system does not tell") }
        return number
    }

    // MARK: Match rules

    private var ruleMethods: [Method] {
        [
            method("AddMatch", "s") { _, program, arguments throws(MethodError) in
                guard program.rules.count < BusProgram.Limit.rules else {
                    throw MethodError(.limitsExceeded, "the program has too many match rules")
                }
                program.rules.append(try Self.rule(arguments[0].string ?? ""))
                return []
            },
            method("RemoveMatch", "s") { _, program, arguments throws(MethodError) in
                let rule = try Self.rule(arguments[0].string ?? "")
                guard let index = program.rules.lastIndex(of: rule) else {
                    throw MethodError(.matchRuleNotFound, "The given match rule wasn't found and can't be removed")
                }
                program.rules.remove(at: index)
                return []
            },
        ]
    }

    private static func rule(_ text: String) throws(MethodError) -> ReceivedRule {
        do {
            return try ReceivedRule(text)
        } catch { throw MethodError(.matchRuleInvalid, error.reason) }
    }
}
