import ATT
public import Bluetooth
public import GATT
import HCI
import LEHost
import Octets
import Peripheral
public import Simulation

// Devices that reach the air through somebody else's host, as through BlueZ: it has the links, the discovery and the
// configurations of clients to itself, and asks only for values.
extension World {
    /// What such a host asks of an attribute, in its client's name.
    public enum AttributeRequest: Hashable, Sendable {
        /// Its value, from an octet on.
        case read(offset: Int)
        /// To write its value; a client's command is not answered.
        case write([UInt8], isCommand: Bool)
    }

    /// What such a host is asked to do.
    public enum ForeignCommand: Hashable, Sendable {
        /// To advertise what the scenario says, or not to.
        case advertise(Bool)
        /// To notify those who are subscribed to a value.
        case notify(handle: UInt16, [UInt8])
        /// To end the link to a client.
        case disconnect(DeviceAddress)
    }

    /// The attributes of a device of the scenario, for its foreign host.
    public func attributes(of device: Int) -> AttributeTable { nodes[device].device.table }

    /// The host of a device advertises.
    public mutating func foreignHostAdvertises(_ node: Int, at now: Instant) {
        arrive(at: now, node) { world in world.note(.advertising(true), of: node) }
    }

    /// A client has connected to a device.
    public mutating func connected(_ peer: DeviceAddress, toForeignHostOf node: Int, at now: Instant) {
        arrive(at: now, node) { world in
            guard !world.nodes[node].connections.contains(where: { $0.peer == peer }) else { return }
            let timing = ConnectionTiming(interval: 0, latency: 0, supervisionTimeout: 0)
            let complete = ConnectionComplete(handle: 0, role: .peripheral, peer: peer, timing: timing)
            world.deviceHostSaid(.connected(world.nodes[node].nextForeignConnection(), complete), node)
        }
    }

    /// A client's link to a device has ended.
    public mutating func disconnected(
        _ peer: DeviceAddress, fromForeignHostOf node: Int, reason: HCIStatus, at now: Instant
    ) {
        arrive(at: now, node) { world in
            guard let connection = world.nodes[node].connections.first(where: { $0.peer == peer }) else { return }
            world.deviceHostSaid(.disconnected(connection.id, peer, reason: reason), node)
        }
    }

    /// The first client has subscribed to a value, or the last one has ended that; nobody says which clients they are.
    public mutating func subscribed(_ isOn: Bool, to handle: UInt16, ofForeignHostOf node: Int, at now: Instant) {
        arrive(at: now, node) { world in
            let everybody = Node.everybody
            guard world.nodes[node].isSubscribed(everybody, to: handle) != isOn else { return }
            let said = isOn ? Server.Output.subscribed(handle: handle) : .unsubscribed(handle: handle)
            world.deviceHostSaid(.server(everybody, said), node)
        }
    }

    /// A client has confirmed an indication of a value; nobody says which client.
    public mutating func confirmed(_ handle: UInt16, toForeignHostOf node: Int, at now: Instant) {
        arrive(at: now, node) { $0.deviceHostSaid(.server(Node.everybody, .confirmed(handle: handle)), node) }
    }

    /// A client reads or writes a value: what it is told.  The MTU of its link is told with the request, if known.
    public mutating func answer(
        _ request: AttributeRequest, of handle: UInt16, from peer: DeviceAddress?, mtu: Int? = nil,
        toForeignHostOf node: Int, at now: Instant
    ) -> Result<[UInt8], ATTError> {
        var answer = Result<[UInt8], ATTError>.failure(.unlikelyError)
        arrive(at: now, node) { world in
            let known = world.nodes[node].connections.first { $0.peer == peer }
            if let known, let mtu, mtu != known.mtu {
                world.deviceHostSaid(.server(known.id, .exchangedMTU(mtu)), node)
            }
            var outputs: [Server.Output] = []
            answer = world.nodes[node].answer(request, of: handle, at: now, pool: &world.pool, into: &outputs)
            for output in outputs { world.deviceHostSaid(.server(known?.id ?? Node.everybody, output), node) }
        }
        return answer
    }

    /// Plays up to now, lets something happen to a device of the scenario, and follows it up.
    private mutating func arrive(at now: Instant, _ node: Int, _ happen: (inout World) -> Void) {
        run(until: now)
        guard hostBackend == .foreignHosts, nodes.indices.contains(node), !isClient(node) else { return }
        happen(&self)
        followUp()
    }
}

extension World {
    /// What the host of a device would be told, as far as a foreign one understands it.
    mutating func instructForeignHost(of node: Int, _ command: Host.Command) {
        switch command {
        case .advertise: outbox.append(.toForeignHost(node: node, .advertise(true)))
        case .stopAdvertising: outbox.append(.toForeignHost(node: node, .advertise(false)))
        case .disconnect(let id, _):
            guard let peer = nodes[node].peer(of: id) else { return }
            outbox.append(.toForeignHost(node: node, .disconnect(peer)))
        case .injectErrors(let errorInjection): nodes[node].injectErrors(errorInjection)
        default: break
        }
    }

    /// Has the foreign host of a device tell a value to those who are subscribed, and notes what that becomes.
    mutating func hand(_ notification: PeripheralDevice.Notification, toForeignHostOf node: Int) {
        let octets = pool.octets(of: notification.packet)
        if nodes[node].device.indicates(notification.handle) {
            note(.server(Node.everybody, .indicated(handle: notification.handle, octets)), of: node)
        } else {
            noteNotified(notification, of: node)
        }
        outbox.append(.toForeignHost(node: node, .notify(handle: notification.handle, octets)))
        pool.release(notification.packet)
    }
}

extension World.AttributeRequest {
    fileprivate func pdu(for handle: UInt16) -> PDU {
        switch self {
        case .read(offset: 0): .readRequest(handle: handle)
        case .read(let offset): .readBlobRequest(handle: handle, offset: UInt16(clamping: offset))
        case .write(let value, true): .writeCommand(handle: handle, value: value)
        case .write(let value, false): .writeRequest(handle: handle, value: value)
        }
    }
}

extension Node {
    /// Stands for all clients of a foreign host, where it does not say which one.
    static let everybody = ConnectionID(number: 0)

    func isSubscribed(_ connection: ConnectionID, to handle: UInt16) -> Bool {
        subscriptions.contains { $0.isOf(connection, handle) }
    }

    /// Asks the server as a client would, by a PDU, so that all its rules hold: the value that was read, none for a
    /// write, or the error.
    fileprivate mutating func answer(
        _ request: World.AttributeRequest, of handle: UInt16, at now: Instant, pool: inout PacketPool,
        into outputs: inout [Server.Output]
    ) -> Result<[UInt8], ATTError> {
        if case .write(let value, _) = request, value.count > AttributeTable.maximumValueLength {
            outputs.append(.refused(opcode: Opcode.writeRequest.rawValue, handle: handle, .invalidAttributeValueLength))
            return .failure(.invalidAttributeValueLength)
        }
        var said: [Server.Output] = []
        ask(request.pdu(for: handle), at: now, pool: &pool, into: &said)
        var answer = Result<[UInt8], ATTError>.success([])
        for output in said {
            switch output {
            case .send(let packet):
                answer = Self.reading(pool.octets(of: packet))
                pool.release(packet)
            case .refused(_, _, let error):
                answer = .failure(error)
                outputs.append(output)
            default: outputs.append(output)
            }
        }
        return answer
    }

    /// An Error Response's error is its fifth octet; of the others, all behind the opcode is the value.
    private static func reading(_ response: [UInt8]) -> Result<[UInt8], ATTError> {
        guard response.first == 0x01 else { return .success(Array(response.dropFirst())) }
        return .failure(response.count == 5 ? ATTError(rawValue: response[4]) : .unlikelyError)
    }
}
