import ATT
import Bluetooth
import GATT
import HCI
import LEHost
import Octets
import Peripheral
import Scenarios
import Services
import Sensors
import Simulation

/// A host above a controller of the air, with the device that it serves.
struct Node: Sendable {
    /// A client that is subscribed to a value.
    struct Subscription: Sendable {
        let connection: ConnectionID
        let handle: UInt16
        /// The client wants the value indicated, and not notified.
        var isIndicated: Bool

        func isOf(_ connection: ConnectionID, _ handle: UInt16) -> Bool {
            self.connection == connection && self.handle == handle
        }
    }

    let controller: Int
    private(set) var host: Host
    private(set) var device: PeripheralDevice
    /// Answers for the device where a foreign host has its clients.
    private var foreignServer = Server(receives: Server.maximumMTU)
    private var foreignConnections: UInt32 = 0
    /// The first is the oldest.
    private(set) var connections: [(id: ConnectionID, peer: DeviceAddress, mtu: Int)] = [] {
        didSet { device.mtu = connections.map(\.mtu).min() ?? Server.defaultMTU }
    }
    private(set) var subscriptions: [Subscription] = []
    private(set) var notedSaturatedValues = 0
    /// What a script does to the device.
    var conditions = Conditions()
    /// Whom it connects to, if it is a second central.
    var errand = Errand()
    /// How strong the script has it heard; nil: as its distance has it.
    var strength: Strength?
    /// What it does to values on their way out.
    private(set) var notificationFaults = NotificationFaults()
    /// When the device is told that time has passed; nil: not yet asked for.
    var deviceWake: Upcoming.Ticket?
    /// Which of its phases of advertising is played, or was played last.
    var phase = 0
    /// When the next phase begins; nil while none does.
    var phaseEnd: Upcoming.Ticket?

    init(_ device: PeripheralDevice, controller: Int, randomAddress: DeviceAddress?, mtu: Int) {
        (self.device, self.controller) = (device, controller)
        host = Host(
            table: device.table, randomAddress: randomAddress, receives: mtu,
            preferring: device.definition.preferredConnection)
        foreignServer.adopt(mtu: Server.maximumMTU)
        foreignServer.security = .full  // what a value needs, the foreign host sees to
    }

    mutating func step(
        _ input: Host.Input, at now: Instant, pool: inout PacketPool, into outbox: inout [Host.Output]
    ) {
        host.step(input, values: &device, at: now, pool: &pool, into: &outbox)
    }

    /// Has a PDU answered that no client has sent.
    mutating func ask(
        _ pdu: PDU, at now: Instant, pool: inout PacketPool, into outbox: inout [Server.Output]
    ) {
        foreignServer.receive(
            pool.take(pdu), table: device.table, values: &device, at: now, pool: &pool, into: &outbox)
    }

    /// A number for a client's link that a foreign host has.
    mutating func nextForeignConnection() -> ConnectionID {
        foreignConnections += 1
        return ConnectionID(number: foreignConnections)
    }

    /// Tells every subscriber a value; the packet is released.
    mutating func notify(
        _ handle: UInt16, _ packet: Packet, at now: Instant, pool: inout PacketPool, into outbox: inout [Host.Output]
    ) {
        host.notify(handle, packet, at: now, pool: &pool, into: &outbox)
        pool.release(packet)
    }

    mutating func deviceTimePassed(
        at now: Instant, pool: inout PacketPool, into outbox: inout [PeripheralDevice.Notification]
    ) {
        device.timePassed(at: now, pool: &pool, into: &outbox)
    }

    /// The present value, or these octets, for the subscribed clients.
    mutating func notification(
        of value: DeviceValue, octets: [UInt8]?, at now: Instant, pool: inout PacketPool
    ) -> PeripheralDevice.Notification? {
        guard let handle = device.handle(of: value), !device.isSilent(handle),
            let packet = octets.map({ pool.take($0) })
                ?? device.packet(of: value, at: now, pool: &pool)
        else { return nil }
        return PeripheralDevice.Notification(handle: handle, packet: packet)
    }

    /// When the device has something to do.  Asked in place: who only reads from an array of nodes copies one.
    var nextDue: Instant? {
        mutating get {
            guard notificationFaults.nextDue < .never else { return device.nextDue }
            return min(notificationFaults.nextDue, device.nextDue ?? .never)
        }
    }

    mutating func set(_ value: DeviceValue, to input: SensorInput?, at now: Instant, begun: Instant?) -> Bool {
        device.set(value, to: input, at: now, begun: begun)
    }

    /// Whether the clock on the wall has stopped by that.
    mutating func skipTime(by duration: Duration, at now: Instant) -> Bool {
        let hadStopped = device.clockHasStopped(at: now)
        device.skipTime(by: duration, at: now)
        return !hadStopped && device.clockHasStopped(at: now)
    }

    /// Has other attributes; its host knows them already.
    mutating func adopt(_ table: AttributeTable, at now: Instant) { device.adopt(table, at: now) }

    mutating func setLead(ofService service: Int, isOff: Bool, at now: Instant) {
        _ = device.setLead(ofService: service, isOff: isOff, at: now)
    }

    mutating func confirmed(_ handle: UInt16, at now: Instant) {
        device.indicationWasConfirmed(of: handle, at: now)
    }

    mutating func dropped(_ handle: UInt16, at now: Instant) {
        device.indicationWasDropped(of: handle, at: now)
    }

    /// What the device could not say, since this was last asked.
    mutating func newSaturatedValues() -> ArraySlice<SaturatedValue> {
        defer { notedSaturatedValues = device.saturatedValues.count }
        return device.saturatedValues[notedSaturatedValues...]
    }

    mutating func burst(_ value: DeviceValue, rate: Double?, begun: Instant, at now: Instant) {
        device.burst(value, rate: rate, begun: begun, at: now)
    }

    mutating func drift(by partsPerMillion: Double, at now: Instant) { device.drift(by: partsPerMillion, at: now) }

    // MARK: Values on their way out

    /// Adds what leaves now of a value that the device tells.
    mutating func tamper(
        with notification: PeripheralDevice.Notification, at now: Instant, pool: inout PacketPool,
        into outbox: inout [PeripheralDevice.Notification]
    ) {
        guard isHeard(notification.handle) else { return outbox.append(notification) }
        notificationFaults.take(notification, at: now, pool: &pool, into: &outbox)
        if !outbox.contains(where: { $0.handle == notification.handle }) {
            device.notificationWasSuppressed(of: notification.handle)
        }
    }

    /// These faults are in force from now on; adds what leaves because of that.
    mutating func tamper(
        by rules: [NotificationFaults.Rule], at now: Instant, pool: inout PacketPool,
        into outbox: inout [PeripheralDevice.Notification]
    ) { notificationFaults.play(rules, at: now, pool: &pool, into: &outbox) }

    /// Adds what has been held until now.
    mutating func release(at now: Instant, into outbox: inout [PeripheralDevice.Notification]) {
        notificationFaults.release(at: now, into: &outbox)
    }
    /// Has a foreign host's clients refused too.
    mutating func injectErrors(_ errorInjection: ErrorInjection) { foreignServer.errorInjection = errorInjection }

    mutating func keepSilent(_ handles: [UInt16], at now: Instant) { device.keepSilent(handles, at: now) }

    // MARK: Who is there

    func peer(of connection: ConnectionID) -> DeviceAddress? { connections.first { $0.id == connection }?.peer }

    /// Whether a client is subscribed to what has this handle now.
    func tells(_ handle: UInt16, to client: DeviceAddress?) -> Bool {
        subscriptions.contains { $0.handle == handle && peer(of: $0.connection) == client }
    }

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
        guard !isHeard(handle) else { return subscribersChanged(handle) }
        device.didUnsubscribe(from: handle, at: now)
        notificationFaults.forget(handle, pool: &pool)
    }

    private mutating func subscribersChanged(_ handle: UInt16) {
        let areIndicated = subscriptions.allSatisfy { $0.handle != handle || $0.isIndicated }
        device.subscribersChanged(of: handle, areIndicated: areIndicated)
    }

    /// Whether anybody is subscribed to a value.
    func isHeard(_ handle: UInt16) -> Bool { subscriptions.contains { $0.handle == handle } }

    /// An unbonded client's subscriptions end with its connection.  Core 6.0, Vol 3, Part G, section 3.3.3.3.
    mutating func disconnected(_ id: ConnectionID, at now: Instant, pool: inout PacketPool) {
        connections.removeAll { $0.id == id }
        for subscription in subscriptions where subscription.connection == id {
            unsubscribed(subscription.handle, id, at: now, pool: &pool)
        }
    }
}
