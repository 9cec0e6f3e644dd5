package import Basics
import BlueZNames
package import Bluetooth
package import DBus
import GATT
import HCI
package import LEHost

/// A central that uses bluetoothd's radio, connections and GATT client: it accepts the central's commands of a `Host`
/// and emits the same outputs. BlueZ, `doc/adapter-api.txt`, `device-api.txt`, `gatt-api.txt`.
///
///     idle ──.start──▶ waiting ──org.bluez appears──▶ started ──stop──▶ over
///                         ▲                               │
///                         └── .start ◀── .failed ◀── org.bluez disappears
///
/// There is at most one connection. `stop` restores the adapter's power and leaves connections of other programs alone.
/// All handlers are called on the loop's thread, one at a time.
package actor CentralSession: DaemonClient {
    /// What to search for, and with which adapter.
    package struct Definition: Hashable, Sendable {
        /// The adapter: `hci0`; nil for the first one.
        package var adapter: String?
        /// Only devices that advertise one of these services are reported; all if empty.
        package var services: [UUID]
        /// Whether devices are shared with other programs. If so, a connection of another program can be used, and
        /// bluetoothd remembers new devices. Otherwise such a connection is refused, and new devices are removed by
        /// `stop`.
        package var sharesDevices: Bool

        package init(adapter: String?, services: [UUID], sharesDevices: Bool) {
            (self.adapter, self.services, self.sharesDevices) = (adapter, services, sharesDevices)
        }
    }

    package enum Event: Sendable {
        /// An output of a host, never one with a packet. bluetoothd does not report connection parameters, which are 0,
        /// nor, before 5.82, the reason of a disconnection, which is Unspecified Error (0x1F).
        case output(Host.Output)
        /// A notification or indication; possibly before the reply to the subscription.
        case received(ConnectionID, handle: UInt16, [UInt8], isIndicated: Bool)
        /// A permanent failure: nothing more happens.
        case failed(HostFailure)
    }

    package nonisolated let loop: EventLoop

    nonisolated let connection: Connection
    nonisolated let limit: Duration
    let definition: Definition
    let onEvent: @Sendable (Event) -> Void

    var adapter: Adapter?
    private var original: Adapter?
    var isStarted = false
    var isInUse: Bool { isStarted }
    var isScanning = false
    var devices: [ObjectPath: RemoteDevice] = [:]
    var attempt: Attempt?
    var link: Link?
    var counts = (attempts: 0, connections: UInt32(0))
    /// Devices to which we connect or are connected.
    var ourConnections: Set<ObjectPath> = []
    /// Devices that bluetoothd knew before.
    private var known: Set<ObjectPath> = []
    /// New devices, to be removed by `stop`.
    private var toRemove: Set<ObjectPath> = []

    var steps: [Step] = []
    var stepTask: Task<Void, any Error>?
    private(set) var generation = 0
    private(set) var isStopped = false
    var isUnresponsive = false
    var suspectedFailure: HostFailure?
    private var owner: BusName?
    /// Whether `.start` is waiting for bluetoothd.
    private var isStartPending = false
    private var subscriptions: [Connection.Subscription] = []

    /// A central that does nothing before `.start`. bluetoothd has to reply within `limit` to each call that does not
    /// involve a peer.
    package init(
        _ definition: Definition, over connection: Connection, on loop: EventLoop,
        within limit: Duration = .seconds(10), onEvent: @escaping @Sendable (Event) -> Void
    ) {
        (self.definition, self.connection, self.loop) = (definition, connection, loop)
        (self.limit, self.onEvent) = (limit, onEvent)
    }

    // MARK: Commands

    /// Performs a command of a central.
    package func perform(_ command: Host.Command) {
        switch command {
        case .start: start()
        case .scan(_, let filterDuplicates): enqueue { await $0.scan(filterDuplicates: filterDuplicates) }
        case .stopScanning: enqueue { await $0.stopScanning() }
        case .connect(let creation, let timeout): connect(to: creation.peer, within: timeout)
        case .cancelConnecting: if let attempt { giveUp(attempt.number, .cancelled) }
        case .disconnect(let id, _): disconnect(id)
        case .procedure(let id, let procedure, let number): perform(procedure, number, of: id)
        // bluetoothd has done this before it reports a connection, and answers the peer's Security Requests.
        case .readRemoteFeatures, .security: break
        // The adapter's address, and the bonds, are those of the machine.
        case .changeAddress, .rotateAddress, .changeSecurity, .exchangeOutOfBand, .forget: break
        case .stop, .advertise, .changeAdvertisingData, .stopAdvertising, .attenuate, .readSignalStrength, .notify,
            .answer, .requestParameters, .changeAttributes:
            assertionFailure("not a command of a central: \(command)")
        }
    }

    /// Ends everything and restores the adapter's power; returns why that failed, or nil.
    package func stop() async -> HostFailure? {
        isStopped = true
        generation += 1
        await cancelSteps()
        resumeDiscovery(.disconnected)
        for subscription in subscriptions { await connection.cancel(subscription) }
        subscriptions.removeAll()
        for path in ourConnections.sorted() { await disconnect(path) }
        guard let path = adapter?.path, let original else { return nil }
        await removeDevices(path)
        if isScanning { await callIgnoringErrors(path, .adapter, "StopDiscovery") }
        isScanning = false
        guard !original.isPowered else { return nil }
        guard owner != nil else { return .notSwitchedOff(original, why: "bluetoothd is not running") }
        let failure = await callIgnoringErrors(path, .properties, "Set", Adapter.setting("Powered", .boolean(false)))
        return failure.map { .notSwitchedOff(original, why: "\($0)") }
    }

    /// Ends a connection of ours. bluetoothd replies when it has ended, after 2 s or more.
    private func disconnect(_ path: ObjectPath) async {
        guard await callIgnoringErrors(path, .device, "Disconnect", within: limit) == nil else { return }
        devices[path]?.isConnected = false
        ourConnections.remove(path)
    }

    /// Removes new devices from bluetoothd; not connected ones, whose removal makes bluetoothd 5.66 crash, nor paired
    /// ones.
    private func removeDevices(_ adapter: ObjectPath) async {
        for path in toRemove.subtracting(ourConnections).sorted() {
            guard let device = devices[path], !device.isConnected, !device.isPaired else { continue }
            await callIgnoringErrors(adapter, .adapter, "RemoveDevice", [.path(path)])
        }
    }

    // MARK: Starting

    private func start() {
        guard !isStarted, !isStopped else { return }
        generation += 1
        let round = generation
        enqueue { host in
            do throws(HostFailure) { try await host.start(round) } catch {
                if round == host.generation, !host.isStopped { host.fail(error) }
            }
        }
    }

    private func start(_ round: Int) async throws(HostFailure) {
        if subscriptions.isEmpty { try await subscribe() }
        guard owner != nil else {
            isStartPending = true
            return
        }
        let (chosen, all) = try await findAdapter(round, definition.adapter, wasUsed: original != nil)
        guard round == generation, let path = chosen.path else { return }
        adapter = chosen
        devices = Dictionary(all.prefix(Self.maximumDevices).map { ($0.path, $0) }) { first, _ in first }
        if original == nil { (original, self.known) = (chosen, Set(devices.keys)) }
        if !chosen.isPowered {
            try await call(
                path, .properties, "Set", Adapter.setting("Powered", .boolean(true)), or: HostFailure.cannotSwitchOn)
        }
        guard round == generation, !isStopped else { return }
        (isStarted, suspectedFailure) = (true, nil)
        emit(.started(chosen.address ?? DeviceAddress(0, .public), ControllerFacts()))
    }

    /// Subscribes to bluetoothd's signals; bluetoothd must be running the first time.
    private func subscribe() async throws(HostFailure) {
        let isRunning: Bool
        do throws(CallFailure) {
            isRunning = try await connection.askForBlueZ() != nil
            subscriptions = try await subscribeToSignals()
            subscriptions.append(try await subscribeToReasons())
        } catch { throw .bus("\(error)") }
        guard isRunning else { throw .notRunning }
    }

    private func subscribeToReasons() async throws(CallFailure) -> Connection.Subscription {
        let ends = MatchRule(sender: .bluez, namespace: .bluez, interface: .device, member: "Disconnected")
        return try await connection.subscribe(ends) { [weak self] signal in
            self?.assumeIsolated { $0.noteReason(signal.path, signal.arguments) }
        }
    }

    // MARK: Signals

    func ownerChanged(to owner: BusName?) {
        guard !isStopped, owner != self.owner else { return }
        let wasRunning = self.owner != nil
        self.owner = owner
        if wasRunning { lose("bluetoothd has stopped") }
        guard owner != nil, isStartPending else { return }
        isStartPending = false
        start()
    }

    /// Ends everything until the next `.start`.
    private func lose(_ why: String) {
        generation += 1
        (isStarted, isScanning, suspectedFailure) = (false, false, nil)
        steps.removeAll()
        ourConnections.removeAll()
        toRemove.removeAll()
        devices.removeAll()
        if let attempt { giveUp(attempt.number, .outside(why)) }
        link?.subscribed.removeAll()  // cannot be unsubscribed
        linkEnded(.hardwareFailure)
        emit(.failed(.outside(why)))
    }

    func fail(_ failure: HostFailure) {
        generation += 1
        isStarted = false
        onEvent(.failed(failure))
    }

    func propertiesChanged(_ path: ObjectPath, _ arguments: [Value]) {
        guard arguments.count == 3 else { return }
        switch arguments[0].string {
        case InterfaceName.adapter.text: adapterChanged(path, arguments[1])
        case InterfaceName.device.text: deviceChanged(path, arguments[1], invalidated: arguments[2].strings ?? [])
        case InterfaceName.gattCharacteristic.text:
            if let value = arguments[1]["Value"]?.octets { valueChanged(path, value) }
        default: break
        }
    }

    func interfacesAdded(_ arguments: [Value]) {
        guard arguments.count == 2, let path = arguments[0].path, let above = adapter?.path, path.isBelow(above) else {
            return
        }
        if arguments[1][.gattService] != nil { attributesChanged(path, for: Self.pauseAfterAddition) }
        guard let properties = arguments[1][.device], let device = RemoteDevice(path, properties) else { return }
        guard devices[path] != nil || devices.count < Self.maximumDevices else { return }
        devices[path] = device
        reportIfReceived(device, properties)
        deviceUpdated(device)
    }

    func interfacesRemoved(_ arguments: [Value]) {
        guard arguments.count == 2, let path = arguments[0].path, let interfaces = arguments[1].strings else { return }
        if interfaces.contains(InterfaceName.gattService.text) { attributesChanged(path, for: Self.pauseAfterRemoval) }
        if interfaces.contains(InterfaceName.device.text), var device = devices.removeValue(forKey: path) {
            device.isConnected = false
            if let attempt, attempt.path == path {
                giveUp(attempt.number, .outside("bluetoothd removed the device"))
            }
            deviceUpdated(device)
        }
        adapterRemoved(path, interfaces)
    }

    private func deviceChanged(_ path: ObjectPath, _ properties: Value, invalidated: [String]) {
        guard var device = devices[path] else { return }
        device.update(with: properties)
        device.invalidate(invalidated)
        devices[path] = device
        reportIfReceived(device, properties)
        deviceUpdated(device)
    }

    func emit(_ output: Host.Output) { onEvent(.output(output)) }

    // MARK: Devices

    /// Whether another program on this machine is connected to a device.
    package func isTaken(_ address: DeviceAddress) -> Bool {
        devices.values.contains { $0.address == address && $0.isConnected && !ourConnections.contains($0.path) }
    }

    /// Whether the connected device is paired with this machine.
    package var isPaired: Bool { link.flatMap { devices[$0.path] }?.isPaired ?? false }

    /// Has `stop` remove a device that bluetoothd did not know before.
    func rememberForRemoval(_ path: ObjectPath) {
        if !definition.sharesDevices, !known.contains(path) { toRemove.insert(path) }
    }

    // MARK: Scanning

    private func scan(filterDuplicates: Bool) async {
        guard isStarted, !isScanning, let path = adapter?.path else { return }
        var filter: [(name: String, value: Value)] = [
            ("Transport", .string("le")), ("DuplicateData", .boolean(!filterDuplicates)),
        ]
        if !definition.services.isEmpty { filter.append(("UUIDs", .strings(definition.services.map(\.description)))) }
        let round = generation
        isScanning = true
        do throws(HostFailure) {
            try await call(path, .adapter, "SetDiscoveryFilter", [.options(filter)], or: HostFailure.refused)
            try await call(path, .adapter, "StartDiscovery", [], or: HostFailure.refused)
        } catch {
            // An adapter that was switched off is reported separately.
            if round == generation, !isStopped, suspectedFailure == nil { lose("\(error)") }
            return
        }
        guard round == generation, !isStopped else { return }
        emit(.scanning(true))
        // Another program may be scanning already, and connected devices do not advertise.
        for device in devices.values.sorted(by: { $0.path < $1.path }) where device.rssi != nil || device.isConnected {
            emit(.report(device.report()))
        }
    }

    private func stopScanning() async {
        guard isScanning, let path = adapter?.path else { return }
        isScanning = false
        await callIgnoringErrors(path, .adapter, "StopDiscovery")
        emit(.scanning(false))
    }

    private func reportIfReceived(_ device: RemoteDevice, _ properties: Value) {
        guard isScanning, isStarted, let above = adapter?.path, device.path.isBelow(above) else { return }
        guard RemoteDevice.isReceived(properties) else { return }
        emit(.report(device.report(isReceived: properties["RSSI"] != nil)))
    }
}
