public import Bluetooth
public import DBus
import GATT
import HCI
public import LEHost
public import Simulation

/// A central by bluetoothd, which has the radio, the links and the client of each: understands those commands of a `Host`
/// that a central gives, and says what a `Host` says.  BlueZ, `doc/adapter-api.txt`, `device-api.txt`, `gatt-api.txt`.
///
///     idle ──.start──▶ waiting ──org.bluez is there──▶ started ──stop──▶ over
///                         ▲                               │
///                         └── .start ◀── .failed ◀── org.bluez goes away
///
/// There is one connection at a time.  What the adapter was before is put back by `stop`: an adapter that was off is
/// switched off, and who was connected before stays so.  All handlers are called on the loop's thread, one at a time.
public actor CentralSession: DaemonClient {
    /// What is looked for, and by which adapter.
    public struct Definition: Hashable, Sendable {
        /// `hci0`; nil: the first one.
        public var adapter: String?
        /// Only who advertises one of these is reported; empty: everybody.
        public var services: [UUID]
        /// Whether devices are shared with other programs: a connection that one of them has is used, and bluetoothd
        /// remembers whom we have met.  Else such a connection is refused, and who was met is forgotten again.
        public var sharesDevices: Bool

        /// All have to be said.
        public init(adapter: String?, services: [UUID], sharesDevices: Bool) {
            (self.adapter, self.services, self.sharesDevices) = (adapter, services, sharesDevices)
        }
    }

    /// What happens.
    public enum Event: Sendable {
        /// What a host would say; never one with a packet.  The rhythm of a connection and, before BlueZ 5.82, the reason
        /// of its end bluetoothd does not tell: they are 0, and Unspecified Error (0x1F).
        case output(Host.Output)
        /// The peer's server notified or indicated, be the subscription answered or not.
        case heard(ConnectionID, handle: UInt16, [UInt8], isIndicated: Bool)
        /// It cannot be done; nothing more happens.
        case failed(HostFailure)
    }

    nonisolated let loop: EventLoop
    /// The executor of the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    nonisolated let connection: Connection
    nonisolated let limit: Duration
    let definition: Definition
    private let tell: @Sendable (Event) -> Void

    var adapter: Adapter?
    /// What the adapter was like before we changed it.
    private var former: Adapter?
    var isStarted = false
    var isInUse: Bool { isStarted }
    var isScanning = false
    var devices: [ObjectPath: RemoteDevice] = [:]
    private static let mostDevices = 4096
    var attempt: Attempt?
    var link: Link?
    /// How many connections were asked for, and how many came about.
    var counts = (attempts: 0, connections: UInt32(0))
    /// Whom we have asked for a connection that may be there.
    var ours: Set<ObjectPath> = []
    /// Whom bluetoothd knew before.
    private var known: Set<ObjectPath> = []
    /// Whom it knows because of us.
    var met: Set<ObjectPath> = []

    var steps: [Step] = []
    var work: Task<Void, any Error>?
    private(set) var rounds = 0
    private(set) var isStopped = false
    var isMute = false
    var doubts: HostFailure?
    private var owner: BusName?
    /// Whether `.start` waits for bluetoothd.
    private var isAwaited = false
    private var subscriptions: [Connection.Subscription] = []

    /// Nothing happens before `.start`.  bluetoothd has to answer each question within `limit`, but for those that wait for
    /// a peer; `tell` is told what happens.
    public init(
        _ definition: Definition, over connection: Connection, on loop: EventLoop,
        within limit: Duration = .seconds(10), tell: @escaping @Sendable (Event) -> Void
    ) {
        (self.definition, self.connection, self.loop) = (definition, connection, loop)
        (self.limit, self.tell) = (limit, tell)
    }

    // MARK: What it is told

    /// Has bluetoothd do something.  What it has to itself is not done: advertising, addresses, and faults below ATT.
    public func perform(_ command: Host.Command) {
        switch command {
        case .start: start()
        case .scan(_, let filterDuplicates): enqueue { await $0.scan(filterDuplicates: filterDuplicates) }
        case .stopScanning: enqueue { await $0.stopScanning() }
        case .connect(let creation, let timeout): connect(to: creation.peer, within: timeout)
        case .cancelConnecting: if let attempt { giveUp(attempt.number, .cancelled) }
        case .disconnect(let id, _): disconnect(id)
        case .procedure(let id, let procedure, let number): ask(procedure, number, of: id)
        default: break
        }
    }

    /// Takes everything back, and leaves the adapter as it was; why it could not, or nil.
    public func stop() async -> HostFailure? {
        isStopped = true
        rounds += 1
        await dropSteps()
        settled(.disconnected)
        for subscription in subscriptions { await connection.cancel(subscription) }
        subscriptions.removeAll()
        for path in ours.sorted() { await quietly(path, .device, "Disconnect") }
        guard let path = adapter?.path, let former else { return nil }
        await forgetMet(path)
        if isScanning { await quietly(path, .adapter, "StopDiscovery") }
        isScanning = false
        guard !former.isPowered else { return nil }
        guard owner != nil else { return .notSwitchedOff(former, why: "bluetoothd does not run") }
        let trouble = await quietly(path, .properties, "Set", Adapter.setting("Powered", .boolean(false)))
        return trouble.map { .notSwitchedOff(former, why: "\($0)") }
    }

    /// Has bluetoothd forget whom it has met by us: not one that is connected, whose removal has ended bluetoothd 5.66, or
    /// that has been paired.
    private func forgetMet(_ adapter: ObjectPath) async {
        for path in met.subtracting(ours).sorted() {
            guard let device = devices[path], !device.isConnected, !device.isPaired else { continue }
            await quietly(adapter, .adapter, "RemoveDevice", [.path(path)])
        }
    }

    // MARK: Beginning

    private func start() {
        guard !isStarted, !isStopped else { return }
        rounds += 1
        let round = rounds
        enqueue { host in
            do throws(HostFailure) { try await host.start(round) } catch {
                if round == host.rounds, !host.isStopped { host.fail(error) }
            }
        }
    }

    private func start(_ round: Int) async throws(HostFailure) {
        if subscriptions.isEmpty { try await attend() }
        guard owner != nil else {
            isAwaited = true
            return
        }
        let (chosen, all) = try await again(round, for: former == nil ? Self.patience : Self.longPatience) {
            host throws(HostFailure) in try await host.find()
        }
        guard round == rounds, let path = chosen.path else { return }
        adapter = chosen
        devices = Dictionary(all.prefix(Self.mostDevices).map { ($0.path, $0) }) { first, _ in first }
        if former == nil { (former, self.known) = (chosen, Set(devices.keys)) }
        if !chosen.isPowered {
            try await call(
                path, .properties, "Set", Adapter.setting("Powered", .boolean(true)), or: HostFailure.cannotSwitchOn)
        }
        guard round == rounds, !isStopped else { return }
        (isStarted, doubts) = (true, nil)
        say(.started(chosen.address ?? DeviceAddress(0, .public), ControllerFacts()))
    }

    /// Listens to bluetoothd, which has to be there the first time.
    private func attend() async throws(HostFailure) {
        let isThere: Bool
        do throws(CallFailure) {
            isThere = try await connection.askForBlueZ() != nil
            subscriptions = try await listen()
            subscriptions.append(try await listenForReasons())
        } catch { throw .bus("\(error)") }
        guard isThere else { throw .notRunning }
    }

    private func find() async throws(HostFailure) -> (Adapter, [RemoteDevice]) {
        let objects: Objects
        do { objects = try await Objects.all(connection, within: limit) } catch { throw .bus("\(error)") }
        let adapter = objects.adapters.first { definition.adapter == nil || $0.name == definition.adapter }
        guard let adapter else { throw .noAdapter(wanted: definition.adapter, there: objects.adapters.map(\.name)) }
        return (adapter, objects.devices.filter { device in adapter.path.map(device.path.isBelow) ?? false })
    }

    private func listenForReasons() async throws(CallFailure) -> Connection.Subscription {
        let ends = MatchRule(sender: .bluez, namespace: .bluez, interface: .device, member: "Disconnected")
        return try await connection.subscribe(ends) { [weak self] signal in
            self?.assumeIsolated { $0.noteReason(signal.path, signal.arguments) }
        }
    }

    // MARK: What bluetoothd tells

    func belongs(to owner: BusName?) {
        guard !isStopped, owner != self.owner else { return }
        let wasThere = self.owner != nil
        self.owner = owner
        if wasThere { lose("bluetoothd has gone away") }
        guard owner != nil, isAwaited else { return }
        isAwaited = false
        start()
    }

    /// Everything that was under way is over; only `.start` helps.
    private func lose(_ why: String) {
        rounds += 1
        (isStarted, isScanning, doubts) = (false, false, nil)
        steps.removeAll()
        ours.removeAll()
        met.removeAll()
        devices.removeAll()
        if let attempt { giveUp(attempt.number, .outside(why)) }
        link?.subscribed.removeAll()  // nobody is there who could be told
        linkEnded(.hardwareFailure)
        say(.failed(.outside(why)))
    }

    func fail(_ failure: HostFailure) {
        rounds += 1
        isStarted = false
        tell(.failed(failure))
    }

    func changed(_ path: ObjectPath, _ arguments: [Value]) {
        guard arguments.count == 3 else { return }
        switch arguments[0].string {
        case InterfaceName.adapter.text: adapterChanged(path, arguments[1])
        case InterfaceName.device.text: deviceChanged(path, arguments[1], without: arguments[2].strings ?? [])
        case InterfaceName.gattCharacteristic.text:
            if let value = arguments[1]["Value"]?.octets { valueChanged(path, value) }
        default: break
        }
    }

    func added(_ arguments: [Value]) {
        guard arguments.count == 2, let path = arguments[0].path, let above = adapter?.path, path.isBelow(above) else {
            return
        }
        if arguments[1][.gattService] != nil { attributesChanged(path, for: Self.pause) }
        guard let properties = arguments[1][.device], let device = RemoteDevice(path, properties) else { return }
        guard devices[path] != nil || devices.count < Self.mostDevices else { return }
        devices[path] = device
        heard(device, by: properties)
        follow(device)
    }

    func removed(_ arguments: [Value]) {
        guard arguments.count == 2, let path = arguments[0].path, let interfaces = arguments[1].strings else { return }
        if interfaces.contains(InterfaceName.gattService.text) { attributesChanged(path, for: Self.longPause) }
        if interfaces.contains(InterfaceName.device.text), var device = devices.removeValue(forKey: path) {
            device.isConnected = false
            if let attempt, attempt.path == path {
                giveUp(attempt.number, .outside("bluetoothd has removed the device"))
            }
            follow(device)
        }
        adapterRemoved(path, interfaces)
    }

    private func deviceChanged(_ path: ObjectPath, _ properties: Value, without names: [String]) {
        guard var device = devices[path] else { return }
        device.take(properties)
        device.forget(names)
        devices[path] = device
        heard(device, by: properties)
        follow(device)
    }

    func say(_ output: Host.Output) { tell(.output(output)) }

    func hear(_ handle: UInt16, _ value: [UInt8], _ id: ConnectionID, isIndicated: Bool) {
        tell(.heard(id, handle: handle, value, isIndicated: isIndicated))
    }

    // MARK: What is known of devices

    /// Whether another program of this machine has a connection with a device.
    public func isTaken(_ address: DeviceAddress) -> Bool {
        devices.values.contains { $0.address == address && $0.isConnected && !ours.contains($0.path) }
    }

    /// Whether the device that is connected has been paired with this machine.
    public var isPaired: Bool { link.flatMap { devices[$0.path] }?.isPaired ?? false }

    /// Notes whom bluetoothd has to forget again, unless it has known them before.
    func meet(_ path: ObjectPath) {
        if !definition.sharesDevices, !known.contains(path) { met.insert(path) }
    }

    // MARK: Scanning

    private func scan(filterDuplicates: Bool) async {
        guard isStarted, !isScanning, let path = adapter?.path else { return }
        var filter: [(name: String, value: Value)] = [
            ("Transport", .string("le")), ("DuplicateData", .boolean(!filterDuplicates)),
        ]
        if !definition.services.isEmpty { filter.append(("UUIDs", .strings(definition.services.map(\.description)))) }
        let round = rounds
        isScanning = true
        do throws(HostFailure) {
            try await call(path, .adapter, "SetDiscoveryFilter", [.options(filter)], or: HostFailure.refused)
            try await call(path, .adapter, "StartDiscovery", [], or: HostFailure.refused)
        } catch {
            // An adapter that was switched off fails by itself.
            if round == rounds, !isStopped, doubts == nil { lose("\(error)") }
            return
        }
        guard round == rounds, !isStopped else { return }
        say(.scanning(true))
        // Somebody else may be scanning already; and who is connected does not advertise.
        for device in devices.values.sorted(by: { $0.path < $1.path }) where device.rssi != nil || device.isConnected {
            say(.report(device.report()))
        }
    }

    private func stopScanning() async {
        guard isScanning, let path = adapter?.path else { return }
        isScanning = false
        await quietly(path, .adapter, "StopDiscovery")
        say(.scanning(false))
    }

    private func heard(_ device: RemoteDevice, by properties: Value) {
        guard isScanning, isStarted, let above = adapter?.path, device.path.isBelow(above) else { return }
        guard RemoteDevice.isHeard(by: properties) else { return }
        say(.report(device.report(isHeard: properties["RSSI"] != nil)))
    }
}
