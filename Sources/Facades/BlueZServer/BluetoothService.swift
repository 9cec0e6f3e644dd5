package import Basics
import BlueZNames
package import Bluetooth
package import DBus
import GATT
package import SystemBluetooth

/// Plays bluetoothd on a message bus, for programs that use BlueZ's API: adapters, devices, their attributes, and agents.
///
/// It translates between objects and a `SystemHost` with the policy `bluetoothd`, and sends no packets. It has only
/// the timers that no link needs, such as the ends of advertisements. Each unique name of the bus is a program of the service;
/// its scan, subscriptions and agent end with it.
///
/// Source: doc/org.bluez.*.rst of BlueZ 5.66; behaviour measured on that version.
package actor BluetoothService: LoopActor {
    /// Sends a request of a program to the `SystemHost`.
    package typealias Requesting = @Sendable (ProgramID, ProgramRequest) -> Void

    /// The machine and its adapter.
    package struct Adapter: Sendable {
        /// The number in its name: `hci0`.
        let number: Int
        package var address: DeviceAddress
        /// The name of the machine.
        package var alias: String
        package let version: BlueZVersion
        /// Whether it has what bluetoothd has with --experimental only.
        let isExperimental: Bool
        /// The power of its advertising, in dBm: that of virtual controllers by default.
        var txPower: Int8 = 0

        package init(
            _ address: DeviceAddress, number: Int = 0, version: BlueZVersion = .measured, isExperimental: Bool = false
        ) {
            (self.address, self.number, self.version) = (address, number, version)
            self.isExperimental = isExperimental
            // update_name in plugins/hostname.c.
            alias = "BlueZ \(version.text)" + (number == 0 ? "" : " #\(number + 1)")
        }

        package var name: String { "hci\(number)" }
        var path: ObjectPath { ObjectPath(below: .bluez, name) }
    }

    /// A program at the bus.
    struct Program {
        let id: ProgramID
        /// Its filter; nil: it discovers everything that is discoverable.
        var filter: ScanOptions?
        var isDiscovering = false
        /// Whether its filter requests that the adapter can be discovered meanwhile.
        var isDiscoverable = false
        var agent: ObjectPath?
        /// How many of its calls have no answer yet.
        var unanswered = 0
    }

    /// The maximum number of calls of a program without an answer; a bus counts only those that expect one.
    static let maximumUnanswered = 1024

    /// The service itself, which hears of everything.
    static let observer = ProgramID(number: 0)

    package nonisolated let loop: EventLoop
    var connection: Connection
    let bus: Bus
    let adapter: Adapter
    private var requesting: Requesting = { _, _ in }
    let whenUsed: @Sendable () -> Void
    /// Receives what is worth noting.
    let take: @Sendable (ServiceNote) -> Void
    var objects: ObjectServer
    /// By unique name.
    var programs: [BusName: Program] = [:]
    var names: [ProgramID: BusName] = [:]
    private var numbers: UInt32 = 0
    var devices: [DeviceAddress: Device] = [:]
    var calls = WaitingCalls()
    /// Whether the adapter can be discovered because a program's filter requests it.
    var isDiscoverableForProgram = false
    /// The programs with agents; the last one's is everyone's: default_agents in src/agent.c.
    var defaultAgents: [BusName] = []
    private var operations: UInt32 = 0
    private var isFlushing = false
    var isRadioOn = true
    var troubles = Troubles()
    var acquired = Acquisitions()
    var peripherals = LocalPeripherals()
    var monitors = ProgramMonitors()
    /// The services of further adapters, in order; the first adapter's is at the bus for them.
    var siblings: [BluetoothService] = []
    /// The instant of the last event.
    private(set) var present = Instant.start

    init(
        _ adapter: Adapter, over connection: Connection, of bus: Bus, on loop: EventLoop,
        whenUsed: @escaping @Sendable () -> Void, take: @escaping @Sendable (ServiceNote) -> Void
    ) {
        (self.adapter, self.connection, self.bus, self.loop) = (adapter, connection, bus, loop)
        (self.whenUsed, self.take) = (whenUsed, take)
        objects = ObjectServer(version: adapter.version)
    }

    /// Takes the name `org.bluez` of a bus, and serves an adapter.
    ///
    /// - Parameters:
    ///   - adapter: The adapter.
    ///   - connection: To the bus, which has no bluetoothd.
    ///   - bus: The bus.
    ///   - loop: The loop of the connection.
    ///   - whenUsed: Called when a program uses the service first.
    ///   - take: Receives what is worth noting, on the loop's thread but not during a request.
    ///   - attach: Adds the `SystemHost`, whose events go to its argument, with their instants, on the loop's thread but not
    ///     during a request; returns the function that takes requests.
    /// - Returns: The service, which has the name.
    /// - Throws: `CallFailure` if the bus has gone, or the name has an owner.
    package static func open(
        _ adapter: Adapter, over connection: Connection, of bus: Bus, on loop: EventLoop,
        whenUsed: @escaping @Sendable () -> Void = {}, take: @escaping @Sendable (ServiceNote) -> Void = { _ in },
        attach: @Sendable (@escaping @Sendable (ProgramID, ProgramEvent, Instant) -> Void) async -> Requesting
    ) async throws(CallFailure) -> BluetoothService {
        let service = BluetoothService(
            adapter, over: connection, of: bus, on: loop, whenUsed: whenUsed, take: take)
        try await service.start(await service.attached(by: attach))
        return service
    }

    /// Adds the `SystemHost`, whose events this service handles.
    func attached(
        by attach: @Sendable (@escaping @Sendable (ProgramID, ProgramEvent, Instant) -> Void) async -> Requesting
    ) async -> Requesting {
        await attach { [weak self] program, event, instant in
            self?.assumeIsolated { $0.handle(event, of: program, at: instant) }
        }
    }

    private func start(_ requesting: @escaping Requesting) async throws(CallFailure) {
        begin(requesting)
        addRoots()
        addAdapterObject()
        _ = objects.takeSignals()
        try await serve()
    }

    /// Begins to use the `SystemHost`.
    func begin(_ requesting: @escaping Requesting) {
        self.requesting = requesting
        request(Self.observer, .central(.open))
        request(Self.observer, .peripheral(.open))
    }

    /// Adds the objects of the service itself.
    func addRoots() {
        objects.register(.objectManager, at: .root)
        objects.register(.agentManager, at: .bluez)
    }

    func addAdapterObject() {
        objects.register(.adapter, adapterProperties, at: adapter.path)
        objects.register(.gattManager, at: adapter.path)
        objects.register(.advertisingManager, advertisingProperties, at: adapter.path)
        addMonitorManager()
    }

    /// Serves the objects, and takes the name.
    func serve() async throws(CallFailure) {
        await connection.handleCalls { [weak self] call in self?.assumeIsolated { $0.receive(call) } }
        let changes = MatchRule(sender: "org.freedesktop.DBus", member: "NameOwnerChanged")
        _ = try await connection.subscribe(changes) { [weak self] signal in
            let names = signal.arguments.compactMap(\.string)
            guard names.count == 3, names[2].isEmpty, let name = try? BusName(names[0]) else { return }
            self?.assumeIsolated { $0.leave(name) }
        }
        // 4: do not wait for the name.
        let result = try await connection.call(.bus("RequestName", [.string("org.bluez"), .uint32(4)], reply: "u"))
        guard result == [.uint32(1)] else {
            throw .remote(
                RemoteError(
                    name: "org.freedesktop.DBus.Error.Failed",
                    message: "the bus has an org.bluez already: use another socket"))
        }
    }

    /// Leaves the bus.
    package func close() async {
        troubles.departures += 1  // it does not come back
        await connection.close()
    }

    // MARK: Programs

    /// The program of a unique name; a new one begins to use the service.
    func program(_ name: BusName) -> Program {
        if let program = programs[name] { return program }
        if numbers == 0 { whenUsed() }
        numbers += 1
        let program = Program(id: ProgramID(number: numbers))
        (programs[name], names[program.id]) = (program, name)
        request(program.id, .central(.open))
        return program
    }

    /// The programs, in the order in which they came.
    var programsInOrder: [Program] { programs.values.sorted { $0.id.number < $1.id.number } }

    func name(of program: ProgramID) -> BusName? { names[program] }

    private func leave(_ name: BusName) {
        for sibling in siblings { sibling.assumeIsolated { $0.leave(name) } }
        guard let program = programs.removeValue(forKey: name) else { return }
        names[program.id] = nil
        if program.isDiscovering { endDiscovery(of: program) }
        removeDefaultAgent(name)
        for path in notifying.keys.sorted() { stopNotifying(path, program.id) }
        release { $1.program == program.id }
        request(program.id, .central(.close))
        leavePeripherals(program.id)
        endMonitoring(of: program.id)
        scheduleFlush()
    }

    func request(_ program: ProgramID, _ request: ProgramRequest) { requesting(program, request) }

    /// Starts an operation for a call.
    func start(
        _ operation: CentralOperation, on peer: DeviceAddress, for call: ReceivedCall, as kind: WaitingOperation.Kind
    ) {
        guard let sender = call.sender else { return }
        // Equal reads share a request, and its value.
        if case .read = kind, let same = calls.operations.first(where: { $1.kind == kind })?.key {
            calls.operations[same]?.calls.append(call)
            return
        }
        operations &+= 1
        calls.operations[operations] = WaitingOperation(kind: kind, calls: [call])
        request(program(sender).id, .central(.start(operation, id: operations, peer)))
    }

    /// Starts an operation without a call; returns its number.
    func startUnasked(_ operation: CentralOperation, on peer: DeviceAddress, of program: ProgramID) -> UInt32 {
        operations &+= 1
        request(program, .central(.start(operation, id: operations, peer)))
        return operations
    }

    // MARK: Calls

    private func receive(_ call: ReceivedCall) {
        if let sibling = sibling(at: call.path) { return sibling.assumeIsolated { $0.receive(call) } }
        guard troubles.absences.isEmpty, let sender = call.sender else { return }
        guard program(sender).unanswered < Self.maximumUnanswered else {
            return call.fail(with: MethodError(.limitsExceeded, "The program waits for too many replies"))
        }
        programs[sender]?.unanswered += 1
        take(.received(ServiceCall(call)))
        switch objects.action(for: call) {
        case .reply(let values): reply(to: call, call.interface == .objectManager ? managedObjects : values)
        case .fail(let error): fail(call, error)
        case .call(let interface, let method): perform(method, of: interface, call)
        case .set(let interface, let name, let value): set(name, value, of: interface, call)
        }
        scheduleFlush()
    }

    private func perform(_ method: String, of interface: InterfaceName, _ call: ReceivedCall) {
        take(.called(method))
        switch interface {
        case .adapter: performAdapter(method, call)
        case .device: performDevice(method, call)
        case .gattCharacteristic, .gattDescriptor: performAttribute(method, interface, call)
        case .agentManager: performAgentManager(method, call)
        case .gattManager: performGattManager(method, call)
        case .advertisingManager: performAdvertisingManager(method, call)
        case .advertisementMonitorManager: performMonitorManager(method, call)
        default: fail(call, .notSupported)
        }
    }

    /// Before a reply, everything that waits is announced: g_dbus_send_message.
    func reply(to call: ReceivedCall, _ values: [Value] = []) {
        flush()
        answered(call)
        later(.answered(ServiceCall(call), error: nil)) { call.reply(values) }
    }

    func fail(_ call: ReceivedCall, _ error: MethodError) {
        flush()
        answered(call)
        take(.failed(call.member.text, error.message.isEmpty ? error.name.text : error.message))
        later(.answered(ServiceCall(call), error: ServiceError(error))) { call.fail(with: error) }
    }

    /// Sends a reply now, or when a late one is due.
    private func later(_ note: ServiceNote, _ send: @escaping @Sendable () -> Void) {
        let answer: @Sendable () -> Void = { [take] in
            take(note)
            send()
        }
        guard let delay = troubles.delay else { return answer() }
        loop.call(at: loop.now.advanced(by: delay), answer)
    }

    private func answered(_ call: ReceivedCall) {
        if let sender = call.sender { programs[sender]?.unanswered -= 1 }
    }

    // MARK: Announcements

    func flush() { emit(objects.takeSignals()) }

    /// Announces the changes of one object now.
    func flush(_ path: ObjectPath) { emit(objects.takeSignals(of: path)) }

    func emit(_ signals: [Signal]) {
        connection.assumeIsolated { connection in
            for signal in signals { try? connection.emit(signal) }
        }
    }

    /// Announces changes at the end of this turn.
    func scheduleFlush() {
        guard objects.hasChanges, !isFlushing else { return }
        isFlushing = true
        loop.call(at: loop.now) { [weak self] in
            self?.assumeIsolated { service in
                service.isFlushing = false
                service.flush()
            }
        }
    }

    // MARK: Events

    /// The characteristics that programs have subscribed to.
    var notifying: [ObjectPath: Set<ProgramID>] = [:]

    /// Handles an event of the `SystemHost` for a program. Changes of an earlier instant are announced before: on a busy machine,
    /// one turn of the loop has events of several instants.
    private func handle(_ event: ProgramEvent, of program: ProgramID, at instant: Instant) {
        if instant != present { flush() }
        present = instant
        switch event {
        case .central(.trouble(let trouble, let isOn)): if program == Self.observer { meet(trouble, isOn: isOn) }
        case .central(.state(let state)) where !troubles.absences.isEmpty,
            .peripheral(.state(let state)) where !troubles.absences.isEmpty:
            isRadioOn = state == .on
        case _ where !troubles.absences.isEmpty: break
        case .central(let event):
            if program == Self.observer { observe(event) } else { report(event, to: program) }
        case .pairing(let event): ask(event, program)
        case .peripheral(let event): handle(event, of: program)
        }
        scheduleFlush()
    }

    /// Handles what all programs hear of, once.
    func observe(_ event: CentralEvent) {
        switch event {
        case .state(.unknown): break  // it starts
        case .state(let state): turn(isOn: state == .on)
        case .discovered(let peer, let advertisement, let rssi): discover(peer, advertisement, rssi)
        case .connected(let peer, let mtu): connected(peer, mtu)
        case .exchangedMTU(let peer, let mtu): exchanged(mtu, peer)
        case .disconnecting(let peer): removeBattery(peer)
        case .disconnected(let peer, let failure, _): disconnected(peer, failure)
        case .renamed(let peer, let name): rename(peer, name)
        case .found(let peer, let services): add(services, to: peer)
        case .lost(let peer, let services): remove(services, from: peer)
        case .resolved(let peer): resolved(peer)
        case .ownValue(let peer, let uuid, let value): received(value, of: uuid, peer)
        case .bonded(let peer, let identity): bonded(peer, identity != nil)
        case .forgotten(let peer): forget(peer)
        case .failedToConnect, .connection, .finished, .value, .servicesChanged, .paired, .monitored, .trouble: break
        }
    }

    /// Handles what concerns one program.
    private func report(_ event: CentralEvent, to program: ProgramID) {
        switch event {
        case .failedToConnect(let peer, let failure): failedToConnect(peer, failure, program)
        case .finished(let id, let peer, let result): finished(id, peer, result, program)
        case .value(let peer, let handle, let value): received(value, handle, peer, program)
        case .paired(let peer, let failure): paired(peer, failure, program)
        case .monitored(let id, let peer, let rssi): monitored(id, peer, rssi)
        default: break
        }
    }
}

extension ObjectPath {
    /// A path below another; `name` has only letters, digits and `_`.
    init(below other: ObjectPath, _ name: String) {
        let prefix = other == .root ? "" : other.text
        guard let path = try? ObjectPath("\(prefix)/\(name)") else {
            preconditionFailure("\(name) is not a path element")
        }
        self = path
    }
}
