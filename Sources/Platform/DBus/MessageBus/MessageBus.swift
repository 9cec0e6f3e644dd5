public import Basics

/// A message bus on an event loop at the real pace, for programs that expect one at a socket, such as the system bus.
///
/// It needs neither a daemon nor privileges. It assigns names, routes calls, replies and signals, applies match rules,
/// reports owners of names, and lets monitors listen. It starts no services, and has no policy: who can open its socket
/// may own every name. Nothing that a program sends makes it trap or block; a program that does not read, or that takes
/// too long for its first message, is disconnected.
///
/// Source: D-Bus Specification, "Message Bus Specification".
public actor MessageBus: LoopActor {
    /// The maximum number of programs.
    public static let maximumPrograms = 256

    /// The loop on which the bus lives.
    public nonisolated let loop: EventLoop
    /// The address for programs, with the bus's identifier: `unix:path=…,guid=…`.
    public nonisolated let address: String

    let identifier: String
    private var server: BusServer?  // nil: closed
    private var listening: [EventLoop.Watch] = []
    /// In the order in which they connected.
    private var programs: [BusProgram] = []
    private var accepted = 0
    var names = NameRegistry<Int>()
    private var objects = ObjectTree()

    /// Listens at an address.
    ///
    /// - Parameters:
    ///   - address: Where programs connect: `unix:path=…`. A socket that exists there is replaced; `close` removes it.
    ///   - loop: The loop on which the bus lives, at the real pace.
    /// - Throws: `ConnectionFailure.unreachable` if nobody can listen there.
    public init(at address: BusAddress, on loop: EventLoop) throws(ConnectionFailure) {
        let server: BusServer
        do {
            server = try BusServer(address: address.text)
        } catch { throw .unreachable(address: address.text, error) }
        self.loop = loop
        (self.address, identifier) = (server.address, server.identifier)
        self.server = consume server
        loop.call(at: loop.now) { [weak self] in self?.assumeIsolated { $0.listen() } }
    }

    /// Disconnects all programs, and stops listening.
    public func close() {
        for watch in listening { loop.cancel(watch) }
        listening = []
        server = nil
        loop.noteStimulus()
        for program in programs { disconnect(program) }
    }

    private func listen() {
        objects.insert(busObject())
        for descriptor in server?.descriptors ?? [] {
            listening.append(
                loop.watch(descriptor, for: .readable) { [weak self] in
                    self?.assumeIsolated { $0.accept(at: descriptor) }
                })
        }
    }

    // MARK: Programs

    /// All unique names.
    var uniqueNames: [BusName] { programs.filter(\.hasName).map(\.name) }

    private func program(_ number: Int) -> BusProgram? { programs.first { $0.number == number } }

    /// The program that has a unique name, or owns a well-known one.
    func program(named name: String) -> BusProgram? {
        guard let name = try? BusName(name) else { return nil }
        guard name.isUnique else { return names.owner(of: name).flatMap { program($0) } }
        return programs.first { $0.hasName && $0.name == name }
    }

    private func accept(at descriptor: CInt) {
        for connection in server?.accept(at: descriptor) ?? [] {
            guard programs.count < Self.maximumPrograms else {
                connection.reject()
                loop.noteStimulus()
                continue
            }
            let program = BusProgram(accepted, connection)
            accepted += 1
            guard let descriptor = program.handle.descriptor else { continue }
            let number = program.number
            programs.append(program)
            program.reading = loop.watch(descriptor, for: .readable) { [weak self] in
                self?.assumeIsolated { $0.process(number) }
            }
            loop.call(at: loop.now.advanced(by: BusProgram.Limit.greeting)) { [weak self] in
                self?.assumeIsolated { bus in
                    guard let program = bus.program(number), !program.hasSaidHello else { return }
                    bus.disconnect(program)
                }
            }
        }
    }

    private func process(_ number: Int) {
        guard let program = program(number) else { return }
        program.handle.readAndWrite()
        while !program.hasLeft, let message = program.handle.next() { receive(message, from: program) }
        if !program.hasLeft { updateWatches(of: program) }
    }

    /// Watches the descriptor for writing as needed; disconnects a program that has gone, or that does not read.
    private func updateWatches(of program: BusProgram) {
        guard program.handle.isOpen, program.handle.waiting <= BusHandle.maximumMessageLength else {
            // Its descriptor may be closed already, but others are being served now.
            for watch in [program.reading.take(), program.writing.take()] { if let watch { loop.cancel(watch) } }
            let number = program.number
            loop.call(at: loop.now) { [weak self] in
                self?.assumeIsolated { bus in bus.program(number).map { bus.disconnect($0) } }
            }
            return
        }
        if !program.handle.needsWriting {
            if let watch = program.writing.take() { loop.cancel(watch) }
        } else if program.writing == nil, let descriptor = program.handle.descriptor {
            let number = program.number
            program.writing = loop.watch(descriptor, for: .writable) { [weak self] in
                self?.assumeIsolated { $0.process(number) }
            }
        }
    }

    private func disconnect(_ program: BusProgram) {
        guard !program.hasLeft else { return }
        program.hasLeft = true
        loop.noteStimulus()
        programs.removeAll { $0 === program }
        for watch in [program.reading.take(), program.writing.take()] { if let watch { loop.cancel(watch) } }
        guard server != nil else { return }
        for change in names.removeAll(of: program.number) { announce(change) }
        for caller in programs {
            for call in caller.awaited.filter({ $0.callee == program.number }).sorted(by: { $0.serial < $1.serial }) {
                caller.awaited.remove(call)
                let error = MethodError(
                    .noReply, "Message recipient disconnected from message bus without replying")
                reply(to: Message.CallReference(serial: call.serial, sender: caller.name), .failure(error))
            }
        }
        if program.hasSaidHello { announceOwner(of: program.name, former: program.name, present: nil) }
    }

    // MARK: Routing

    private func receive(_ message: borrowing Message, from program: BusProgram) {
        guard message.interface != "org.freedesktop.DBus.Local" else { return }  // libdbus: the connection has ended
        guard !program.isMonitor else { return disconnect(program) }
        message.setSender(program.name)
        let header = message.header
        if !program.hasSaidHello {
            guard header.destination == BusName.bus.text, header.member == "Hello" else {
                refuse(
                    message, .accessDenied, "Client tried to send a message other than Hello without being registered")
                return disconnect(program)
            }
            program.hasSaidHello = true
            receiveHello(message, from: program)
            return
        }
        route(message, header, from: program)
    }

    private func receiveHello(_ message: borrowing Message, from program: BusProgram) {
        let reference = Message.CallReference(serial: message.serial, sender: program.name)
        reply(to: reference, .success([.string(program.name.text)]))
        announceOwner(of: program.name, former: nil, present: program.name)
        tell(program, "NameAcquired", program.name)
    }

    private func route(_ message: borrowing Message, _ header: MessageHeader, from program: BusProgram) {
        copyToMonitors(message, header)
        let expectsReply: Bool
        if case .call(_, let expects) = message.kind { expectsReply = expects } else { expectsReply = false }
        switch header.destination {
        case BusName.bus.text: callBus(message)
        case nil where header.type == "signal": broadcast(message, header)
        case nil: callBus(message)
        case let name?:
            guard let callee = self.program(named: name) else {
                return message.startsService
                    ? refuse(message, .serviceUnknown, "The name \(name) was not provided by any .service files")
                    : refuse(message, .nameHasNoOwner, "Name \"\(name)\" does not exist")
            }
            pass(message, header, from: program, to: callee, expectsReply: expectsReply)
        }
    }

    /// Passes a message on to its destination, unless it is a reply to nobody, or exceeds a limit.
    private func pass(
        _ message: borrowing Message, _ header: MessageHeader, from program: BusProgram, to callee: BusProgram,
        expectsReply: Bool
    ) {
        let problem = message.hasDescriptors ? obstacle(toDescriptorsFor: callee) : nil
        if header.type == "method_return" || header.type == "error" {
            guard let serial = message.replySerial,
                callee.awaited.remove(.init(serial: serial, callee: program.number)) != nil
            else { return }  // nobody has asked
            if let problem {  // else it would wait in vain
                return reply(to: Message.CallReference(serial: serial, sender: callee.name), .failure(problem))
            }
        } else if let problem {
            return refuse(message, problem.name, problem.message)
        } else if expectsReply {
            guard program.awaited.count < BusProgram.Limit.awaitedReplies else {
                return refuse(message, .limitsExceeded, "The maximum number of pending replies has been reached")
            }
            program.awaited.insert(.init(serial: message.serial, callee: callee.number))
        }
        deliver(message, to: callee)
    }

    /// Why a program cannot receive file descriptors now.
    private func obstacle(toDescriptorsFor program: BusProgram) -> MethodError? {
        guard program.handle.takesDescriptors else {
            return MethodError(.notSupported, "The recipient does not take file descriptors")
        }
        let waiting = programs.reduce(0) { $0 + $1.handle.waitingDescriptors }
        guard waiting + BusHandle.maximumDescriptors <= BusProgram.Limit.waitingDescriptors else {
            return MethodError(.limitsExceeded, "The maximum number of waiting file descriptors has been reached")
        }
        return nil
    }

    private func broadcast(_ message: borrowing Message, _ header: MessageHeader) {
        for program in programs where !program.isMonitor && wants(program, message, header) {
            deliver(message, to: program)
        }
    }

    private func copyToMonitors(_ message: borrowing Message, _ header: MessageHeader) {
        for program in programs where program.isMonitor {
            if program.rules.isEmpty || wants(program, message, header) { deliver(message, to: program) }
        }
    }

    private func wants(_ program: BusProgram, _ message: borrowing Message, _ header: MessageHeader) -> Bool {
        for rule in program.rules {
            let isMatch = rule.matches(message, header) { name in
                names.owner(of: name).flatMap { self.program($0) }?.name.text == header.sender
            }
            if isMatch { return true }
        }
        return false
    }

    /// Sends a message to a program, unless it has descriptors that the program cannot receive.
    private func deliver(_ message: borrowing Message, to program: BusProgram) {
        guard !message.hasDescriptors || obstacle(toDescriptorsFor: program) == nil else { return }
        _ = program.handle.send(message)
        loop.noteStimulus()
        updateWatches(of: program)
    }

    // MARK: What the bus itself sends

    private func callBus(_ message: borrowing Message) {
        guard case .call(let reference, let expectsReply) = message.kind, let member = message.member else { return }
        let replying: Invocation.Replying = { [weak self] result in
            if expectsReply { self?.assumeIsolated { $0.reply(to: reference, result) } }
        }
        // Programs call the bus at any path.
        let isIntrospection = message.interface == "org.freedesktop.DBus.Introspectable"
        let path = isIntrospection ? message.path ?? .bus : .bus
        do throws(MethodError) {
            let arguments: [Value]
            do { arguments = try message.values() } catch { throw MethodError(.limitsExceeded, error.reason) }
            let method = try objects.method(member, of: message.interface, at: path, with: arguments) { _, _ in }
            method.body(
                Invocation(method, at: path, by: reference.sender, with: arguments, on: loop, replying: replying))
        } catch { replying(.failure(error)) }
    }

    private func refuse(_ message: borrowing Message, _ name: ErrorName, _ text: String) {
        guard case .call(let reference, true) = message.kind else { return }
        reply(to: reference, .failure(MethodError(name, text)))
    }

    private func reply(to call: Message.CallReference, _ result: Result<[Value], MethodError>) {
        switch result {
        case .success(let values):
            let message = Message(replyingTo: call)
            message.append(values)
            send(message)
        case .failure(let error): send(Message(replyingTo: call, with: error))
        }
    }

    /// Sends a message of the bus to its destination, or to all whose rules match.
    private func send(_ message: borrowing Message) {
        message.setSender(.bus)
        let header = message.header
        copyToMonitors(message, header)
        guard let destination = header.destination else { return broadcast(message, header) }
        if let program = program(named: destination) { deliver(message, to: program) }
    }

    private func tell(_ program: BusProgram, _ signal: MemberName, _ name: BusName) {
        let message = Message(signal: signal, of: .bus, at: .bus)
        message.append([.string(name.text)])
        message.setDestination(program.name)
        send(message)
    }

    private func announceOwner(of name: BusName, former: BusName?, present: BusName?) {
        let message = Message(signal: .nameOwnerChanged, of: .bus, at: .bus)
        message.append([name.text, former?.text ?? "", present?.text ?? ""].map { .string($0) })
        send(message)
    }

    /// Reports a change of ownership to everybody, and to the programs that it concerns.
    func announce(_ change: NameRegistry<Int>.Change) {
        let (former, present) = (change.former, change.present)
        if let program = former.flatMap({ program($0) }) { tell(program, "NameLost", change.name) }
        announceOwner(
            of: change.name, former: former.map(BusName.init(unique:)), present: present.map(BusName.init(unique:)))
        if let program = present.flatMap({ program($0) }) { tell(program, "NameAcquired", change.name) }
    }

    /// Turns a program into a monitor, which gives up its names.
    func becomeMonitor(_ program: BusProgram, _ rules: [ReceivedRule]) {
        for change in names.removeAll(of: program.number) { announce(change) }
        announceOwner(of: program.name, former: program.name, present: nil)
        (program.rules, program.isMonitor) = (rules, true)
    }
}

extension ErrorName {
    static let noReply: ErrorName = "org.freedesktop.DBus.Error.NoReply"
    static let notSupported: ErrorName = "org.freedesktop.DBus.Error.NotSupported"
    static let serviceUnknown: ErrorName = "org.freedesktop.DBus.Error.ServiceUnknown"
    static let nameHasNoOwner: ErrorName = "org.freedesktop.DBus.Error.NameHasNoOwner"
    static let matchRuleInvalid: ErrorName = "org.freedesktop.DBus.Error.MatchRuleInvalid"
    static let matchRuleNotFound: ErrorName = "org.freedesktop.DBus.Error.MatchRuleNotFound"
}
