import Bluetooth
import GATT
import HCI
import LEHost
import Octets
import Peripheral
import ServiceFramework
import Simulation

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
    private(set) var host: Host
    var device: PeripheralDevice
    /// The server for the clients of a foreign host.
    var foreign = ForeignServer()
    /// The oldest is first.
    private(set) var connections: [(id: ConnectionID, peer: DeviceAddress, mtu: Int)] = [] {
        didSet { device.mtu = connections.map(\.mtu).min() ?? Server.defaultMTU }
    }
    private(set) var subscriptions: [Subscription] = []
    private var loggedSaturatedValues = 0
    /// The lasting actions of the script on the device.
    var conditions = Conditions()
    /// The connections that it makes as a second central.
    var pendingConnection = PendingConnection()
    /// The signal strength that the script sets; nil: as the distance gives it.
    var strength: Strength?
    var notificationFaults = NotificationFaults()
    /// The next call of `PeripheralDevice.timePassed`; nil while none is scheduled.
    var deviceWake: EventSchedule.Ticket?
    /// The present phase of advertising, or the last one.
    var phase = 0
    /// The start of the next phase; nil while none is scheduled.
    var phaseEnd: EventSchedule.Ticket?

    init(_ device: PeripheralDevice, controller: Int, randomAddress: DeviceAddress?, mtu: Int) {
        (self.device, self.controller) = (device, controller)
        host = Host(
            table: device.table, randomAddress: randomAddress, receives: mtu,
            preferring: device.definition.preferredConnection)
    }

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
