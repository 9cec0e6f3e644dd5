package import Basics
package import Bluetooth
import Devices
import GATT
package import HCI
package import LEHost
package import ScenarioModel
import SecurityManager

/// A host above a controller, and the device that it serves.
struct Node: Sendable {
    /// A client's subscription to a value.
    struct Subscription: Sendable {
        let connection: ConnectionID
        let handle: UInt16
        /// Whether the value is indicated to the client, not notified.
        var isIndicated: Bool

        func isOf(_ connection: ConnectionID, _ handle: UInt16) -> Bool {
            self.connection == connection && self.handle == handle
        }
    }

    let controller: Int
    /// Whether this is the built-in client, and no device of the scenario.
    let isClient: Bool
    private(set) var host: Host
    var device: PeripheralDevice
    /// The kind of its host; a device that has only attributes does not use `host`.
    var hosting = DeviceHost.simulated
    /// The oldest is first.
    private(set) var connections: [(id: ConnectionID, peer: DeviceAddress, mtu: Int)] = [] {
        didSet { device.mtu = connections.map(\.mtu).min() ?? Server.defaultMTU }
    }
    private(set) var subscriptions: [Subscription] = []
    private var loggedSaturatedValues = 0
    var user = PairingUser()
    /// The lasting actions of the script on the device.
    var conditions = Conditions()
    /// The connections that it makes as a second central.
    var pendingConnection = PendingConnection()
    /// The signal strength that the script sets; nil: as the distance gives it.
    var strength: Strength?
    var notificationFaults = NotificationFaults()
    /// A restart, while the device is off, and when it ends.
    var restart: (action: Action.Restart, end: EventSchedule.Ticket)?
    /// The next call of `PeripheralDevice.timePassed`; nil while none is scheduled.
    var deviceWake: EventSchedule.Ticket?
    /// The present phase of advertising, or the last one.
    var phase = 0
    /// The values in its advertising data; nil for data that never change.
    var advertised: AdvertisedValues?
    /// The start of the next phase; nil while none is scheduled.
    var phaseEnd: EventSchedule.Ticket?

    init(
        _ device: PeripheralDevice, controller: Int, randomAddress: DeviceAddress?, mtu: Int, isClient: Bool,
        _ security: HostSecurity
    ) {
        (self.device, self.controller, self.isClient) = (device, controller, isClient)
        host = Host(
            table: device.table, randomAddress: randomAddress, receives: mtu,
            preferring: device.definition.preferredConnection, security: security)
    }

    mutating func restore(_ bonds: [Bond]) { host.restore(bonds) }

    mutating func forgetSubscriptions() { host.forgetSubscriptions() }

    mutating func restore(_ memory: HostMemory) { host.restore(memory) }

    /// Its keys are to protect a link: they do not come from the seed.
    mutating func takeSecretsFromSystem() { host.takeSecrets(from: .system) }

    mutating func step(
        _ input: Host.Input, at now: Instant, pool: inout PacketPool, into outbox: inout [Host.Output]
    ) {
        host.step(input, values: &device, at: now, pool: &pool, into: &outbox)
    }

    /// Notifies or indicates a value to all subscribers; releases the packet.
    mutating func notify(
        _ handle: UInt16, _ packet: Packet, at now: Instant, pool: inout PacketPool, into outbox: inout [Host.Output]
    ) {
        host.notify(handle, packet, at: now, pool: &pool, into: &outbox)
        pool.release(packet)
    }

    /// The present value, or these octets; nil for a silent or unknown one.
    mutating func notification(
        of value: DeviceValue, octets: [UInt8]?, at now: Instant, pool: inout PacketPool
    ) -> PeripheralDevice.Notification? {
        guard let handle = device.handle(of: value), !device.isSilent(handle),
            let packet = octets.map({ pool.take($0) })
                ?? device.packet(of: value, at: now, pool: &pool)
        else { return nil }
        return PeripheralDevice.Notification(handle: handle, packet: packet)
    }

    /// When the device or a fault has something to do.  Mutating: a getter would copy the node out of its array.
    var nextDue: Instant? {
        mutating get {
            guard notificationFaults.nextDue < .never else { return device.nextDue }
            return min(notificationFaults.nextDue, device.nextDue ?? .never)
        }
    }

    var hasNewSaturatedValues: Bool { mutating get { device.saturatedValues.count > loggedSaturatedValues } }

    /// The values that the device had to saturate since the last call.
    mutating func takeSaturatedValues() -> ArraySlice<SaturatedValue> {
        defer { loggedSaturatedValues = device.saturatedValues.count }
        return device.saturatedValues[loggedSaturatedValues...]
    }

    /// Applies the faults to a value of the device, and appends what leaves now.
    mutating func applyFaults(
        to notification: PeripheralDevice.Notification, at now: Instant, pool: inout PacketPool,
        into outbox: inout [PeripheralDevice.Notification]
    ) {
        guard hasSubscriber(notification.handle) else { return outbox.append(notification) }
        notificationFaults.take(notification, at: now, pool: &pool, into: &outbox)
        if !outbox.contains(where: { $0.handle == notification.handle }) {
            device.notificationWasSuppressed(of: notification.handle)
        }
    }

    // MARK: Connections and subscriptions

    func peer(of connection: ConnectionID) -> DeviceAddress? { connections.first { $0.id == connection }?.peer }

    /// The peer that has connected with an address: its identity address, if the host knows it.
    func peer(at address: DeviceAddress) -> DeviceAddress {
        connections.first { host.addresses(of: $0.id)?.peer == address }?.peer ?? address
    }

    func hasSubscriber(_ handle: UInt16, at client: DeviceAddress?) -> Bool {
        subscriptions.contains { $0.handle == handle && peer(of: $0.connection) == client }
    }

    /// Whether any client is subscribed to a value.
    func hasSubscriber(_ handle: UInt16) -> Bool { subscriptions.contains { $0.handle == handle } }

    mutating func connected(_ id: ConnectionID, _ peer: DeviceAddress) {
        connections.append((id, peer, Server.defaultMTU))
    }

    mutating func exchanged(mtu: Int, _ id: ConnectionID) {
        for index in connections.indices where connections[index].id == id { connections[index].mtu = mtu }
    }

    mutating func subscribed(_ handle: UInt16, _ connection: ConnectionID, at now: Instant) {
        let isIndicated = host.configuration(ofValue: handle, of: connection) == .indication
        if let index = subscriptions.firstIndex(where: { $0.isOf(connection, handle) }) {
            subscriptions[index].isIndicated = isIndicated
            return subscribersChanged(handle)
        }
        subscriptions.append(Subscription(connection: connection, handle: handle, isIndicated: isIndicated))
        device.didSubscribe(to: handle, at: now)
        subscribersChanged(handle)
    }

    mutating func unsubscribed(
        _ handle: UInt16, _ connection: ConnectionID, at now: Instant, pool: inout PacketPool
    ) {
        subscriptions.removeAll { $0.isOf(connection, handle) }
        guard !hasSubscriber(handle) else { return subscribersChanged(handle) }
        device.didUnsubscribe(from: handle, at: now)
        notificationFaults.discard(handle, pool: &pool)
    }

    private mutating func subscribersChanged(_ handle: UInt16) {
        let areIndicated = subscriptions.allSatisfy { $0.handle != handle || $0.isIndicated }
        device.subscribersChanged(of: handle, areIndicated: areIndicated)
    }

    /// An unbonded client's subscriptions end with its connection.  Core 6.0, Vol 3, Part G, section 3.3.3.3.
    mutating func disconnected(_ id: ConnectionID, at now: Instant, pool: inout PacketPool) {
        connections.removeAll { $0.id == id }
        for subscription in subscriptions where subscription.connection == id {
            unsubscribed(subscription.handle, id, at: now, pool: &pool)
        }
    }
}

// The outputs of the devices' hosts, and the values that the devices send.
extension World {
    /// Handles an output of a device's host, other than a packet or a timer.
    mutating func handle(_ output: Host.Output, ofDevice node: Int) {
        note(output, of: node)
        switch output {
        case .started:
            notePrivateAddress(of: node)
            advertise(node, phase: 0)
        case .advertising(true): notePrivateAddress(of: node)
        case .connected(let id, let complete):
            nodes[node].connected(id, complete.peer)
            advertise(node, phase: 0)
        case .disconnected(let id, _, _):
            nodes[node].disconnected(id, at: now, pool: &pool)
            advertise(node, phase: 0)
        case .server(let id, .exchangedMTU(let mtu)), .exchangedMTU(let id, let mtu):
            nodes[node].exchanged(mtu: mtu, id)
        case .server(let id, .subscribed(let handle)):
            nodes[node].subscribed(handle, id, at: now)
            if nodes[node].host.owesResponse(to: id) { schedule(.earlyValue(node: node, handle: handle), due: now) }
        case .server(let id, .unsubscribed(let handle)), .server(let id, .orphaned(let handle)):
            nodes[node].unsubscribed(handle, id, at: now, pool: &pool)
        case .server(_, .confirmed(let handle)): nodes[node].device.indicationWasConfirmed(of: handle, at: now)
        case .server(_, .dropped(let handle)): nodes[node].device.indicationWasDropped(of: handle, at: now)
        case .notified(_, _, let packet), .indicated(_, _, let packet): pool.release(packet)
        case .security(let id, let output): attendPairing(output, id, of: node)
        default: break
        }
        handle(output, ofCentral: node)
        wakeDevice(node)
    }

    /// Sends a value of a device, subject to its faults; takes the packet.
    mutating func notify(_ node: Int, _ notification: PeripheralDevice.Notification) {
        if nodes[node].notificationFaults.isActive {
            applyFaults(to: notification, of: node)
        } else {
            send(notification, of: node)
        }
    }

    /// Sends a value to its subscribers; takes the packet.
    mutating func send(_ notification: PeripheralDevice.Notification, of node: Int) {
        if case .attributes = nodes[node].hosting { return sendOverAttributes(notification, of: node) }
        noteNotified(notification, of: node)
        nodes[node].notify(notification.handle, notification.packet, at: now, pool: &pool, into: &hostOutbox)
        forwardHostOutputs(of: node)
    }

    /// Schedules one event for when the device next has something to do.
    mutating func wakeDevice(_ node: Int) {
        if nodes[node].hasNewSaturatedValues { noteSaturatedValues(of: node) }
        if let ticket = nodes[node].deviceWake { cancel(ticket) }
        nodes[node].deviceWake = nodes[node].nextDue.map { schedule(.deviceWake(node: node), due: max($0, now)) }
    }
}

extension PeripheralDefinition {
    init(_ device: ScenarioModel.Device, begins: WallTime) {
        self.init(
            name: device.name, appearance: Appearance(device.advertising.payload.appearance ?? 0),
            services: device.services.map(\.configured))
        absentServices = device.services.indices.filter { !device.services[$0].isThereFromStart }
        hasGenericServices = device.hasGenericServices
        rejectsShortWrites = device.rejectsShortWrites
        clock = WallClock(begins: 946_684_800 + begins.secondsSince2000)
        preferredConnection = ConnectionParameters(device.link)
    }
}

extension ConnectionParameters {
    /// The preferred connection parameters of a device; nil for none. Missing keys get the defaults of Core 6.0, Vol 3,
    /// Part C, appendix A: 30 to 50 ms and latency 0; the timeout is 720 ms, or longer if the interval requires it.
    init?(_ link: ScenarioModel.Link) {
        guard link.interval != nil || link.latency != nil || link.timeout != nil else { return nil }
        let interval = link.interval.map { UInt16(clamping: $0.inNanoseconds / 1_250_000) }
        let (longest, latency) = (interval ?? 40, UInt16(clamping: link.latency ?? 0))
        // 10 ms · timeout > (1 + latency) · 2 · 1.25 ms · interval
        let least = (1 + Int(latency)) * Int(longest) / 4 + 1
        self.init(
            minimumInterval: interval ?? 24, maximumInterval: longest, latency: latency,
            supervisionTimeout: link.timeout.map { UInt16(clamping: $0.inNanoseconds / 10_000_000) }
                ?? UInt16(clamping: min(3200, max(72, least))))
    }
}

// The outputs of a world.
extension World {
    /// An output for an external host or controller, or for a client.
    package enum Output: Sendable {
        /// A packet for the external host of a controller; the receiver releases it.
        case toGuest(controller: Int, PacketKind, Packet)
        /// A packet for the external controller of a device's host; the receiver releases it.
        case toRadio(node: Int, PacketKind, Packet)
        /// The host of a device cannot use its external controller.
        case radioFailed(node: Int, Host.Failure)
        /// The host of a device reports `.refused`, `.malformed`, `.keptThroughReset` or `.dropped` of its external
        /// controller.
        case radioWarning(node: Int, Host.Output)
        /// The power with which the external controller of a device advertises, after an action of the script; nil: the
        /// device is connected, and its connections keep their power.
        case radioPower(node: Int, AdvertisingPower?)
        /// A command for the stack that owns the links of a device.
        case toAttributeHost(node: Int, AttributeHost.Command)
        /// Something begins, or ends, that happens to the Bluetooth services of systems, or to a device that they know.
        case system(Action.SystemFault, of: DeviceAddress?, isOn: Bool)
        case client(node: Int, Host.Output)
    }
}

/// The lasting actions on a device or on the client: the latest of each kind on each entity.
struct Conditions: Sendable {
    private(set) var actions: [Action] = []  // in the order in which they began

    /// Adds an action; it replaces one of the same kind on the same entity.
    mutating func begin(_ action: Action) {
        end(action)
        actions.append(action)
    }

    /// Removes the action of the same kind on the same entity.
    mutating func end(_ action: Action) {
        actions.removeAll { $0.kind == action.kind && $0.entity == action.entity }
    }

    /// The entities with an action of a kind, in the order in which the actions began.
    func entities(_ kind: Action.Kind) -> [EntityReference] { actions.compactMap { $0.kind == kind ? $0.entity : nil } }

    func has(_ kind: Action.Kind) -> Bool { actions.contains { $0.kind == kind } }

    func last(_ kind: Action.Kind) -> Action.Operation? { actions.last { $0.kind == kind }?.operation }
}
