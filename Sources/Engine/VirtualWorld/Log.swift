import Basics
import Bluetooth
import Characteristics
import Devices
import GATT
import HCI
import LEHost
package import ScenarioModel
import SecurityManager
import VirtualRadio

// The event log and the packet log.

extension World {
    /// Translates handles and values of the journal into names and JSON.
    package var wording: ValueFormatter {
        let (names, ids) = (names, scenario.devices.map(\.id))
        return ValueFormatter(
            entity: { device, number in names.entry(number, of: device)?.name ?? ids[device] },
            value: { device, number, octets, text in names.write(octets, number, of: device, to: &text) },
            samples: { device, number, octets in names.samples(octets, number, of: device)?.samples })
    }

    private mutating func note(
        _ event: EventName, _ entity: EntityReference?, _ name: String?, code: UInt8? = nil, value: Datum? = nil,
        _ fill: (inout EventRecord) -> Void = { _ in }
    ) {
        var record = EventRecord(event, of: name, at: now)
        record.value = value?.json
        fill(&record)
        journal.append(record)
        report(event, of: entity, code: code, value: value)
    }

    mutating func noteSaturatedValues(of node: Int) {
        guard !nodes[node].isClient else { return }
        for saturated in nodes[node].takeSaturatedValues() {
            let entity = entity(of: saturated.value, node)
            note(.saturated, entity, entity.flatMap(scenario.path), value: saturated.wanted.map(Datum.number))
        }
    }

    mutating func noteAdvertised(_ values: [Datum.Member], by node: Int) {
        note(
            .advertised, .device(node), scenario.devices[node].id, value: values.isEmpty ? nil : .object(values))
    }

    /// Logs that a device's wall clock has stopped at the end of its range.
    mutating func noteClock(of node: Int, _ duration: Duration) {
        let seconds = Double(duration.inNanoseconds) / 1e9
        note(.saturated, .device(node), scenario.devices[node].id, value: .number(seconds))
    }

    /// Logs that an external client has exited, with its status as a shell reports it.
    package mutating func clientExited(_ status: UInt8) {
        note(.exited, .client, "client", code: status, value: .number(Double(status)))
    }

    package mutating func clientReported(_ line: some ClientReport) {
        journal.append(line: line, at: now)
        // The built-in client's screen is known without its lines.
        let isShownToUsers = nodes.last?.isClient != true && scenario.devices.contains { $0.security != nil }
        guard isShownToUsers || isAwaited(.said) else { return }
        let datum = line.datum
        if isAwaited(.said) { report(ObservedEvent(said: datum)) }
        if isShownToUsers, let datum { readPasskey(datum) }
    }

    mutating func noteSending(_ kind: PacketKind, _ packet: Packet, to controller: Int) {
        switch kind {
        case .command:
            packets.append(.command, controller: controller, packet, in: pool, at: now)
            noteCommand(packet, to: controller)
        case .acl: packets.append(.aclToController, controller: controller, packet, in: pool, at: now)
        case .event, .synchronous, .isochronous: break
        }
    }

    private mutating func noteCommand(_ packet: Packet, to controller: Int) {
        let opcode = pool.uint16(at: 0, of: packet).map(Opcode.init(rawValue:))
        switch users[controller] {
        case .node(let node) where !nodes[node].isClient: return noteCommand(opcode, of: node)
        case .nobody: return
        default: break
        }
        let enables = pool.uint8(at: 3, of: packet) == 1
        switch opcode {
        case HCI.Command.leSetScanEnable.opcode: note(enables ? .scanning : .scanningStopped, .client, "client")
        case HCI.Command.leCreateConnection.opcode: note(.connecting, .client, "client")
        default: break
        }
    }

    /// Logs that a second central starts to connect.
    private mutating func noteCommand(_ opcode: Opcode?, of node: Int) {
        guard
            opcode == HCI.Command.leCreateConnection.opcode || opcode == HCI.Command.leExtendedCreateConnection.opcode,
            let device = nodes[node].pendingConnection.current
        else { return }
        let peer = address(of: device)
        note(.connecting, .device(node), scenario.devices[node].id) { $0.peer = peer }
    }

    mutating func noteArriving(_ kind: PacketKind, _ packet: Packet, at controller: Int) {
        switch kind {
        case .event: packets.append(.event, controller: controller, packet, in: pool, at: now)
        case .acl: packets.append(.aclToHost, controller: controller, packet, in: pool, at: now)
        case .command, .synchronous, .isochronous: break
        }
        if case .node(let node) = users[controller], !nodes[node].isClient { return }
        guard let delivery = users.deliveries[controller].observe(kind, packet, at: now, pool: &pool) else { return }
        if let device = device(at: delivery.peer) {
            var own = airspace.ownAddress(ofLink: delivery.link, of: controller)
            if let address = own, address.isResolvable { own = nodes[device].peer(at: address) }
            let number = names.number(
                ofSent: delivery.handle, of: device, isTold: nodes[device].hasSubscriber(delivery.handle, at: own))
            noteValue(.delivered, device, number, delivery.handle, delivery.value, peer: own)
        }
        pool.release(delivery.value)
    }

    /// Logs a value for each subscriber, truncated to its MTU; for indications, the server reports them.
    mutating func noteNotified(_ notification: PeripheralDevice.Notification, of node: Int) {
        for subscription in nodes[node].subscriptions
        where subscription.handle == notification.handle && !subscription.isIndicated {
            let connection = nodes[node].connections.first { $0.id == subscription.connection }
            var value = notification.packet
            if let connection { value.truncate(to: connection.mtu - 3) }
            let number = names.number(of: notification.handle, of: node)
            noteValue(.notified, node, number, notification.handle, value, peer: connection?.peer)
        }
    }

    private mutating func noteValue(
        _ event: EventName, _ device: Int, _ number: Int, _ handle: UInt16, _ value: Packet, peer: DeviceAddress?
    ) {
        journal.append(event, device: device, valueIndex: number, peer: peer, handle: handle, value, in: pool, at: now)
        if isAwaited(event) { reportValue(event, device, number, pool.octets(of: value)) }
    }

    private mutating func noteValue(
        _ event: EventName, _ device: Int, _ handle: UInt16, _ octets: [UInt8], peer: DeviceAddress?
    ) {
        let number = names.number(of: handle, of: device)
        journal.append(event, device: device, valueIndex: number, peer: peer, handle: handle, octets[...], at: now)
        guard isAwaited(event) else { return }
        reportValue(event, device, number, octets, of: descriptor(at: handle, of: device))
    }

    /// The descriptor with a handle; nil for another attribute, and for one of no value of the scenario.
    private func descriptor(at handle: UInt16, of node: Int) -> ObservedEvent.Descriptor? {
        guard let (value, type) = nodes[node].device.descriptor(at: handle), let owner = entity(of: value, node) else {
            return nil
        }
        return .init(type, of: owner)
    }

    mutating func note(_ output: Host.Output, of node: Int) {
        let (entity, name) = (EntityReference.device(node), scenario.devices[node].id)
        switch output {
        case .advertising(true) where nodes[node].phase == 0: note(.advertising, entity, name)
        case .connected(_, let complete): note(.connected, entity, name) { $0.peer = complete.peer }
        case .parameters(let id, let decision):
            let peer = nodes[node].peer(of: id)
            note(.parameters, entity, name, value: decision.datum) { $0.peer = peer }
        case .disconnected(_, let peer, let reason):
            memoryChanges += 1
            note(.disconnected, entity, name, code: reason.rawValue) { ($0.peer, $0.reason) = (peer, reason.name) }
        case .server(let id, let server): note(server, from: nodes[node].peer(of: id), of: node)
        case .bondLost(let peer):
            memoryChanges += 1
            note(.bondLost, entity, name) { $0.peer = peer }
        case .security(let id, let security): note(security, with: nodes[node].peer(of: id), of: node)
        default: break
        }
    }

    private mutating func note(_ output: LinkSecurityManager.Output, with peer: DeviceAddress?, of node: Int) {
        let (entity, name) = (EntityReference.device(node), scenario.devices[node].id)
        switch output {
        case .encrypted(.some, _): note(.encrypted, entity, name) { $0.peer = peer }
        case .notEncrypted(let status):
            note(.encryptionFailed, entity, name, code: status.rawValue) { ($0.peer, $0.reason) = (peer, status.name) }
        case .completed(_, let isBonded):
            if isBonded { memoryChanges += 1 }
            note(.paired, entity, name) { $0.peer = peer }
        case .failed(let failure):
            note(.pairingFailed, entity, name, code: failure.reason?.rawValue) { record in
                (record.peer, record.reason) = (peer, failure.name)
            }
        default: break
        }
    }

    private mutating func note(_ output: Server.Output, from peer: DeviceAddress?, of node: Int) {
        switch output {
        case .send: break
        case .exchangedMTU(let mtu):
            note(.mtu, .device(node), scenario.devices[node].id, value: .number(Double(mtu))) { $0.peer = peer }
        case .discovering: note(.discovering, .device(node), scenario.devices[node].id) { $0.peer = peer }
        case .discovered: note(.discovered, .device(node), scenario.devices[node].id) { $0.peer = peer }
        case .subscribed(let handle):
            memoryChanges += 1
            note(.subscribed, node, handle, names.number(of: handle, of: node), peer)
        case .unsubscribed(let handle):
            memoryChanges += 1
            note(.unsubscribed, node, handle, names.number(of: handle, of: node), peer)
        case .read(let handle, let octets): noteValue(.read, node, handle, octets, peer: peer)
        case .written(let handle, let octets): noteValue(.written, node, handle, octets, peer: peer)
        case .indicated(let handle, let octets): noteValue(.indicated, node, handle, octets, peer: peer)
        case .confirmed(let handle): note(.confirmed, node, handle, names.number(of: handle, of: node), peer)
        case .confirmedOrphan(let handle):
            note(.confirmed, node, handle, names.number(ofSent: handle, of: node, isTold: false), peer)
        // The client has not unsubscribed: its value was removed.
        case .orphaned: break
        case .dropped, .wake, .bearerLost, .requested: break
        case .refused(_, let handle, let error):
            let entry = names.entry(names.number(of: handle, of: node), of: node)
            note(
                .refused, entry?.entity ?? .device(node), entry?.name ?? scenario.devices[node].id,
                code: error.rawValue
            ) { record in
                (record.peer, record.handle, record.error) = (peer, handle, error.name)
            }
        }
    }

    private mutating func note(
        _ event: EventName, _ node: Int, _ handle: UInt16, _ number: Int, _ peer: DeviceAddress?
    ) {
        let entry = names.entry(number, of: node)
        note(event, entry?.entity ?? .device(node), entry?.name ?? scenario.devices[node].id) { record in
            (record.peer, record.handle) = (peer, handle)
        }
    }

    /// Logs that a device does not have enough handles.
    mutating func noteTooFar(_ node: Int, by distance: Int) {
        note(.saturated, .device(node), scenario.devices[node].id, value: .number(Double(distance)))
    }
}

extension Host.ParameterDecision {
    /// The first member is what a number is compared with.
    fileprivate var datum: Datum {
        .object([
            .init("interval_ms", .number(1.25 * Double(timing.interval))),
            .init("latency", .number(Double(timing.latency))),
            .init("timeout_ms", .number(10 * Double(timing.supervisionTimeout))),
            .init("accepted", .bool(isAccepted)), .init("by", .string(asker == .central ? "central" : "peripheral")),
        ])
    }
}

// The script and the observer learn the events of the log.
extension World {
    /// Whether a rule or the observer depends on a kind of event.
    func isAwaited(_ kind: EventName) -> Bool { script.runner.waits(for: kind) || observedKinds.contains(kind) }

    /// Reports an event and its value, if a rule or the observer depends on it.
    mutating func report(_ kind: EventName, of entity: EntityReference?, code: UInt8? = nil, value: Datum? = nil) {
        guard isAwaited(kind) else { return }
        report(ObservedEvent(kind, of: entity, code: code, value: value))
    }

    /// Reports a value, with the data that the log leaves out: the samples of an ECG and the number of its lead.
    mutating func reportValue(
        _ kind: EventName, _ device: Int, _ number: Int, _ octets: [UInt8],
        of descriptor: ObservedEvent.Descriptor? = nil
    ) {
        let (entry, json) = (names.entry(number, of: device), names.json(octets, number, of: device))
        var observed = ObservedEvent(
            kind, of: entry?.entity ?? .device(device), value: json.flatMap { Datum(json: $0.utf8) })
        observed.descriptor = descriptor
        if let entry, entry.format == nil { observed.octets = Value.spelling(of: octets) }
        if kind.carriesStreams, let frame = names.samples(octets[...], number, of: device) {
            observed.samples = frame.samples
            if let lead = frame.lead, case .object(let members)? = observed.value {
                observed.value = .object(members + [Datum.Member("lead", .number(Double(lead)))])
            }
        }
        if kind.carriesStreams { observed.index = names.index(octets[...], number, of: device) }
        report(observed)
    }

    mutating func report(_ observed: ObservedEvent) {
        script.add(observed)
        reportToObserver(observed)
    }

    /// Reports an event that the script need not learn: `began` and `ended`, which it makes itself.
    mutating func reportToObserver(_ observed: ObservedEvent) {
        guard observedKinds.contains(observed.kind) else { return }
        let now = now
        observer?.observe(observed, at: now)
    }
}
