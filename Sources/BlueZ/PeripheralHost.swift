public import Bluetooth
public import DBus
public import GATT
public import Simulation

/// A device's attributes and advertisement in the hands of bluetoothd, which has the radio, the links and the clients.
///
///     idle ──start──▶ waiting ──org.bluez appears──▶ registering ──▶ registered ──stop──▶ idle
///                        ▲                                │              │
///                        └──────────── org.bluez goes away ─────────────┘
///
/// What was switched on or renamed is put back by `stop`.  bluetoothd may come and go: everything is registered anew.
/// All handlers are called on the loop's thread, one at a time.
public actor PeripheralHost {
    /// What is to be served, and by which adapter.
    public struct Definition: Sendable {
        /// `hci0`; nil: the first one that can do it.
        public var adapter: String?
        /// Tells several devices of one program apart.
        public var number: Int
        /// The attributes of the device.
        public var attributes: AttributeTable
        /// What it advertises.
        public var advertisement: Advertisement

        /// All of it has to be said.
        public init(adapter: String?, number: Int, attributes: AttributeTable, advertisement: Advertisement) {
            (self.adapter, self.number) = (adapter, number)
            (self.attributes, self.advertisement) = (attributes, advertisement)
        }
    }

    /// What a client wants of a value.
    public struct Request: Sendable {
        /// What there is to want.
        public enum Kind: Hashable, Sendable {
            /// The value, from an octet on.
            case read(offset: Int)
            /// To write it; a command is not answered over the air.
            case write([UInt8], isCommand: Bool)
        }

        /// What is wanted.
        public let kind: Kind
        /// Of the value, in the device's own table; clients see other handles.
        public let handle: UInt16
        let device: ObjectPath?
        /// The ATT_MTU of the client's link, where bluetoothd tells it.
        public let mtu: Int?
        /// Who wants it, where bluetoothd tells it.
        public internal(set) var peer: DeviceAddress?
    }

    /// What happens.
    public enum Event: Sendable {
        /// bluetoothd has the attributes, on this adapter.
        case registered(Adapter)
        /// The advertisement is on the air, or is not any more.
        case advertising(Bool)
        /// Somebody has connected to the adapter.
        case connected(DeviceAddress)
        /// Somebody's connection has ended; bluetoothd does not tell why.
        case disconnected(DeviceAddress)
        /// The first client has subscribed to a value, or the last one has ended that.
        case subscribed(handle: UInt16, Bool)
        /// bluetoothd has gone away, and with it all clients; it is waited for.
        case lost
        /// It cannot be done; nothing more happens.
        case failed(HostFailure)
    }

    nonisolated let loop: EventLoop
    /// The executor of the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    let connection: Connection
    let definition: Definition
    private let answer: @Sendable (Request) -> Result<[UInt8], ATTError>
    let tell: @Sendable (Event) -> Void

    var application: Application?
    var adapter: Adapter?
    var advertisementPath: ObjectPath?
    var wantsToAdvertise = false
    var isAdvertising = false
    var isRegistered = false
    private var isStopped = false
    private var owner: BusName?
    private var subscriptions: [Connection.Subscription] = []
    private var rounds = 0  // of registering; what an older one finds out means nothing
    private var work: Task<Void, any Error>?  // bluetoothd is asked one thing after the other; this is the last
    /// What the adapter was like before we changed it.
    private var former: (alias: String, isPowered: Bool)?
    private var devices: [ObjectPath: Objects.Device] = [:]
    private var subscribed: Set<UInt16> = []
    /// What seems to have happened to the adapter.
    private var doubts: HostFailure?
    private static let patience = Duration.seconds(2)

    /// Nothing happens before `start`.  `answer` is asked for values, `tell` is told what happens.
    public init(
        _ definition: Definition, over connection: Connection, on loop: EventLoop,
        answer: @escaping @Sendable (Request) -> Result<[UInt8], ATTError>,
        tell: @escaping @Sendable (Event) -> Void
    ) {
        (self.definition, self.connection, self.loop) = (definition, connection, loop)
        (self.answer, self.tell) = (answer, tell)
    }

    // MARK: Beginning and end

    /// Waits for bluetoothd, and hands everything over to it as soon as it is there.
    public func start() async throws(HostFailure) {
        let source = Application.Source(
            answer: { [weak self] request in self?.assumeIsolated { $0.asked(request) } ?? .failure(.unlikelyError) },
            subscribed: { [weak self] handle, isOn in
                self?.assumeIsolated { $0.subscribed(handle, isOn) }
            })
        do {
            let application = try Application(definition.attributes, number: definition.number, source)
            self.application = application
            advertisementPath = try ObjectPath("/lubdub/advertisement\(definition.number)")
            await connection.manage(application.root)
            for object in application.objects { try await connection.export(object) }
            if try await owner() == nil { throw HostFailure.notRunning }
            try await listen()
        } catch let failure as HostFailure { throw failure } catch { throw HostFailure.bus("\(error)") }
    }

    /// Who has the name `org.bluez`, after the bus was asked to start who takes it.
    private func owner() async throws(CallFailure) -> String? {
        let bus: BusName = "org.freedesktop.DBus"
        _ = try? await connection.call(
            Call(
                bus, "/org/freedesktop/DBus", "org.freedesktop.DBus", "StartServiceByName",
                [.string(BusName.bluez.text), .uint32(0)], answer: "u"))
        let question = Call(
            bus, "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner", [.string(BusName.bluez.text)],
            answer: "s")
        do throws(CallFailure) { return try await connection.call(question).first?.string } catch {
            guard case .remote = error else { throw error }
            return nil
        }
    }

    /// Takes everything back, and leaves the adapter as it was.
    public func stop() async {
        isStopped = true
        rounds += 1
        _ = try? await work?.value
        for subscription in subscriptions { await connection.cancel(subscription) }
        subscriptions.removeAll()
        guard let adapter, let path = adapter.path, owner != nil else { return }
        if isAdvertising, let advertisementPath {
            await quietly(path, .advertisingManager, "UnregisterAdvertisement", [.path(advertisementPath)])
        }
        if isRegistered, let application {
            await quietly(path, .gattManager, "UnregisterApplication", [.path(application.root)])
        }
        (isAdvertising, isRegistered) = (false, false)
        guard let former else { return }
        await quietly(path, .properties, "Set", Self.setting("Alias", .string(former.alias)))
        if !former.isPowered { await quietly(path, .properties, "Set", Self.setting("Powered", .boolean(false))) }
    }

    /// Calls bluetoothd, whatever it answers, and does not wait long for it.
    private func quietly(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value]
    ) async {
        _ = try? await connection.call(
            Call(.bluez, path, interface, member, arguments, within: .seconds(2)))
    }

    private static func setting(_ name: String, _ value: Value) -> [Value] {
        [.string(InterfaceName.adapter.text), .string(name), .variant(value)]
    }

    // MARK: What bluetoothd tells

    private func listen() async throws(CallFailure) {
        let changes = MatchRule(
            sender: .bluez, namespace: .bluez, interface: .properties, member: "PropertiesChanged")
        subscriptions.append(
            try await connection.subscribe(changes) { [weak self] signal in
                self?.assumeIsolated { $0.changed(signal.path, signal.arguments) }
            })
        let additions = MatchRule(sender: .bluez, interface: .objectManager, member: "InterfacesAdded")
        subscriptions.append(
            try await connection.subscribe(additions) { [weak self] signal in
                self?.assumeIsolated { $0.added(signal.arguments) }
            })
        let removals = MatchRule(sender: .bluez, interface: .objectManager, member: "InterfacesRemoved")
        subscriptions.append(
            try await connection.subscribe(removals) { [weak self] signal in
                self?.assumeIsolated { $0.removed(signal.arguments) }
            })
        subscriptions.append(
            try await connection.watch(.bluez) { [weak self] owner in
                self?.assumeIsolated { $0.belongs(to: owner) }
            })
    }

    private func belongs(to owner: BusName?) {
        guard !isStopped, owner != self.owner else { return }
        let wasThere = self.owner != nil
        doubts = nil
        self.owner = owner
        rounds += 1
        if wasThere { lose() }
        guard owner != nil else { return }
        let round = rounds
        enqueue { await $0.register(round) }
    }

    private func lose() {
        (isAdvertising, isRegistered) = (false, false)
        for device in devices.values.sorted(by: { $0.path < $1.path }) where device.isConnected {
            tell(.disconnected(device.address))
        }
        devices.removeAll()
        for handle in subscribed.sorted() { subscribed(handle, false) }
        tell(.lost)
    }

    private func changed(_ path: ObjectPath, _ arguments: [Value]) {
        guard arguments.count == 3, let adapter = adapter?.path else { return }
        switch arguments[0].string {
        case InterfaceName.device.text:
            guard let isConnected = arguments[1]["Connected"]?.boolean, path.text.hasPrefix(adapter.text + "/"),
                devices[path] != nil
            else { return }
            connected(path, isConnected)
        case InterfaceName.adapter.text where path == adapter:
            guard let isPowered = arguments[1]["Powered"]?.boolean else { return }
            doubts = isPowered ? nil : .switchedOff(self.adapter?.name ?? "")
            settleDoubts()
        default: break
        }
    }

    private func added(_ arguments: [Value]) {
        guard arguments.count == 2, let path = arguments[0].path, let adapter = adapter?.path,
            path.text.hasPrefix(adapter.text + "/"),
            let properties = arguments[1].entries?.first(where: { $0.key.string == InterfaceName.device.text })?.value,
            var device = Objects.Device(path, properties)
        else { return }
        let isConnected = device.isConnected
        device.isConnected = false
        devices[path] = device
        connected(path, isConnected)
    }

    private func removed(_ arguments: [Value]) {
        guard arguments.count == 2, let path = arguments[0].path,
            let interfaces = arguments[1].elements?.compactMap(\.string)
        else { return }
        if interfaces.contains(InterfaceName.device.text) {
            connected(path, false)
            devices[path] = nil
        }
        if path == adapter?.path, interfaces.contains(InterfaceName.adapter.text), !isStopped {
            doubts = .unplugged(adapter?.name ?? "")
            settleDoubts()
        }
    }

    /// bluetoothd takes everything away before it ends: only if it stays has somebody else done it.
    private func settleDoubts() {
        guard doubts != nil, isRegistered, !isStopped else { return }
        let round = rounds
        loop.call(at: loop.now.advanced(by: Self.patience)) { [weak self] in
            self?.assumeIsolated { host in
                if round == host.rounds, !host.isStopped, let failure = host.doubts { host.fail(failure) }
            }
        }
    }

    private func connected(_ path: ObjectPath, _ isConnected: Bool) {
        guard let device = devices[path], device.isConnected != isConnected else { return }
        devices[path]?.isConnected = isConnected
        tell(isConnected ? .connected(device.address) : .disconnected(device.address))
    }

    private func subscribed(_ handle: UInt16, _ isOn: Bool) {
        if isOn { subscribed.insert(handle) } else { subscribed.remove(handle) }
        tell(.subscribed(handle: handle, isOn))
    }

    private func asked(_ request: Request) -> Result<[UInt8], ATTError> {
        var request = request
        request.peer = request.device.flatMap { devices[$0]?.address }
        return answer(request)
    }

    // MARK: Registering

    private func enqueue(_ step: @escaping @Sendable (isolated PeripheralHost) async -> Void) {
        let previous = work
        work = loop.start {
            _ = try? await previous?.value
            await step(self)
        }
    }

    private func register(_ round: Int) async {
        do {
            try await handOver(round)
        } catch {
            if round == rounds, !isStopped { fail(error) }
        }
    }

    private func handOver(_ round: Int) async throws(HostFailure) {
        guard let application else { return }
        let (chosen, known) = try await choose(round)
        guard round == rounds, let path = chosen.path else { return }
        adapter = chosen
        // Who was connected before is not a client of ours.
        devices = Dictionary(known.map { ($0.path, $0) }) { first, _ in first }
        for path in devices.keys { devices[path]?.isConnected = false }
        if former == nil { former = (chosen.alias, chosen.isPowered) }
        if !chosen.isPowered {
            try await call(
                path, .properties, "Set", Self.setting("Powered", .boolean(true)), or: HostFailure.cannotSwitchOn)
        }
        try await call(
            path, .properties, "Set", Self.setting("Alias", .string(definition.advertisement.name)),
            or: HostFailure.refused)
        try await call(
            path, .gattManager, "RegisterApplication", [.path(application.root), .options([])], or: HostFailure.refused)
        guard round == rounds, !isStopped else { return }
        isRegistered = true
        tell(.registered(chosen))
        if wantsToAdvertise { try await registerAdvertisement(round) }
    }

    /// The adapter, and the devices that it knows; one that bluetoothd has not found yet is waited for.
    private func choose(_ round: Int) async throws(HostFailure) -> (Adapter, [Objects.Device]) {
        let deadline = loop.now.advanced(by: Self.patience)
        while true {
            do throws(HostFailure) { return try await find() } catch {
                guard round == rounds, !isStopped, loop.now < deadline else { throw error }
            }
            try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(100)))
        }
    }

    private func find() async throws(HostFailure) -> (Adapter, [Objects.Device]) {
        let objects: Objects
        do { objects = try await Objects.all(connection) } catch { throw .bus("\(error)") }
        let named = objects.adapters.filter { definition.adapter == nil || $0.name == definition.adapter }
        guard let adapter = named.first(where: { $0.servesAttributes && $0.freeAdvertisements != nil }) ?? named.first
        else { throw .noAdapter(wanted: definition.adapter, there: objects.adapters.map(\.name)) }
        guard adapter.servesAttributes || !adapter.isPowered else { throw .cannotServe(adapter.name) }
        let devices = objects.devices.filter { $0.path.text.hasPrefix("/org/bluez/\(adapter.name)/") }
        return (adapter, devices)
    }

    private func registerAdvertisement(_ round: Int) async throws(HostFailure) {
        guard isRegistered, !isAdvertising, let path = adapter?.path, let advertisementPath else { return }
        let object = definition.advertisement.object(at: advertisementPath) { [weak self] in
            self?.assumeIsolated { $0.released() }
        }
        do { try await connection.export(object) } catch { throw .bus("\(error)") }
        try await call(
            path, .advertisingManager, "RegisterAdvertisement", [.path(advertisementPath), .options([])],
            or: HostFailure.refused)
        guard round == rounds, !isStopped else { return }
        isAdvertising = true
        tell(.advertising(true))
        if !wantsToAdvertise { await withdrawAdvertisement() }
    }

    private func withdrawAdvertisement() async {
        guard isAdvertising, let path = adapter?.path, let advertisementPath else { return }
        isAdvertising = false
        await quietly(path, .advertisingManager, "UnregisterAdvertisement", [.path(advertisementPath)])
        await connection.withdraw(advertisementPath)
        tell(.advertising(false))
    }

    private func released() {
        guard isAdvertising else { return }
        isAdvertising = false
        tell(.advertising(false))
    }

    private func call(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value],
        or failure: (_ adapter: String, _ what: String, _ why: String) -> HostFailure
    ) async throws(HostFailure) {
        let (round, deadline) = (rounds, loop.now.advanced(by: Self.patience))
        while true {
            do throws(CallFailure) {
                _ = try await connection.call(Call(.bluez, path, interface, member, arguments))
                return
            } catch {
                // An adapter that has just been switched on, or found, may not be ready.
                guard error.mayPass, round == rounds, !isStopped, loop.now < deadline else {
                    throw failure(adapter?.name ?? "", member.text, "\(error)")
                }
            }
            try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(100)))
        }
    }

    private func fail(_ failure: HostFailure) {
        rounds += 1
        (isAdvertising, isRegistered) = (false, false)
        tell(.failed(failure))
    }

    // MARK: What there is to do

    /// Advertises, or does not any more; again is no mistake.
    public func advertise(_ isOn: Bool) {
        wantsToAdvertise = isOn
        let round = rounds
        enqueue { host in
            guard round == host.rounds, host.wantsToAdvertise == isOn else { return }
            guard isOn else { return await host.withdrawAdvertisement() }
            do throws(HostFailure) { try await host.registerAdvertisement(round) } catch {
                if round == host.rounds, !host.isStopped { host.fail(error) }
            }
        }
    }

    /// Notifies all who are subscribed to a value; bluetoothd cuts it to what their MTUs have room for.
    public func notify(_ handle: UInt16, _ value: [UInt8]) {
        guard isRegistered, let path = application?.path(of: handle) else { return }
        connection.assumeIsolated {
            // A connection that has closed is told by `whenDisconnected`.
            try? $0.emitChange(of: .gattCharacteristic, at: path, [("Value", .octets(value))])
        }
    }

    /// Ends the link to a client, with Remote User Terminated Connection (0x13): bluetoothd has no other reason.
    public func disconnect(_ peer: DeviceAddress) {
        for device in devices.values where device.address == peer && device.isConnected {
            enqueue { await $0.quietly(device.path, .device, "Disconnect", []) }
        }
    }
}
