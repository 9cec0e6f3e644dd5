import ATT
package import Basics
package import Bluetooth
import Devices
package import GATT
import HCI
import LEHost

// Devices behind a foreign host such as BlueZ: it manages connections, discovery and the clients' configurations, and
// requests only values.
extension World {
    package enum ForeignCommand: Hashable, Sendable {
        /// Advertise as the scenario defines it, or stop.
        case advertise(Bool)
        /// Notify or indicate a value to its subscribers.
        case notify(handle: UInt16, [UInt8])
        case disconnect(DeviceAddress)
        /// Remove the bonds with all clients of the device.
        case forgetBonds
    }

    package func attributes(of device: Int) -> AttributeTable { nodes[device].device.table }

    package mutating func foreignHostAdvertises(_ node: Int, at now: Instant) {
        receive(at: now, node) { world in world.note(.advertising(true), of: node) }
    }

    package mutating func connected(_ peer: DeviceAddress, toForeignHostOf node: Int, at now: Instant) {
        receive(at: now, node) { world in
            guard !world.nodes[node].connections.contains(where: { $0.peer == peer }) else { return }
            let timing = ConnectionTiming(interval: 0, latency: 0, supervisionTimeout: 0)
            let complete = ConnectionComplete(handle: 0, role: .peripheral, peer: peer, timing: timing)
            world.handle(.connected(world.nodes[node].foreign.nextConnection(), complete), ofDevice: node)
        }
    }

    /// A client has disconnected from a device.
    package mutating func disconnected(
        _ peer: DeviceAddress, fromForeignHostOf node: Int, reason: HCIStatus, at now: Instant
    ) {
        receive(at: now, node) { world in
            guard let connection = world.nodes[node].connections.first(where: { $0.peer == peer }) else { return }
            world.handle(.disconnected(connection.id, peer, reason: reason), ofDevice: node)
        }
    }

    /// The first client has subscribed to a value, or the last one has unsubscribed; the host does not name the clients.
    package mutating func subscribed(_ isOn: Bool, to handle: UInt16, ofForeignHostOf node: Int, at now: Instant) {
        receive(at: now, node) { world in
            let anyClient = ForeignServer.anyClient
            let isSubscribed = world.nodes[node].subscriptions.contains { $0.isOf(anyClient, handle) }
            guard isSubscribed != isOn else { return }
            let output = isOn ? Server.Output.subscribed(handle: handle) : .unsubscribed(handle: handle)
            world.handle(.server(anyClient, output), ofDevice: node)
        }
    }

    /// A client has confirmed an indication of a value; the host does not name the client.
    package mutating func confirmed(_ handle: UInt16, toForeignHostOf node: Int, at now: Instant) {
        receive(at: now, node) {
            $0.handle(.server(ForeignServer.anyClient, .confirmed(handle: handle)), ofDevice: node)
        }
    }

    /// Answers a client's request: with the value of a read, no octets for a write, or the error.
    ///
    /// `mtu` is that of the client's connection, if the host knows it.
    package mutating func answer(
        _ request: ValueRequest, of handle: UInt16, from peer: DeviceAddress?, mtu: Int? = nil,
        toForeignHostOf node: Int, at now: Instant
    ) -> Result<[UInt8], ATTError> {
        var answer = Result<[UInt8], ATTError>.failure(.unlikelyError)
        receive(at: now, node) { world in
            let known = world.nodes[node].connections.first { $0.peer == peer }
            if let known, let mtu, mtu != known.mtu {
                world.handle(.server(known.id, .exchangedMTU(mtu)), ofDevice: node)
            }
            var outputs: [Server.Output] = []
            answer = world.nodes[node].answer(request, of: handle, at: now, pool: &world.pool, into: &outputs)
            for output in outputs {
                world.handle(.server(known?.id ?? ForeignServer.anyClient, output), ofDevice: node)
            }
        }
        return answer
    }

    /// Runs to `now`, lets something happen to a device of the scenario, and then the script.
    private mutating func receive(at now: Instant, _ node: Int, _ happen: (inout World) -> Void) {
        run(until: now)
        guard hostBackend == .foreignHosts, nodes.indices.contains(node), !nodes[node].isClient else { return }
        happen(&self)
        runScript()
    }

    /// Translates a command to a host into one for a foreign host, as far as that supports it.
    mutating func instructForeignHost(of node: Int, _ command: Host.Command) {
        switch command {
        case .advertise: outbox.added.append(.toForeignHost(node: node, .advertise(true)))
        case .stopAdvertising: outbox.added.append(.toForeignHost(node: node, .advertise(false)))
        case .disconnect(let id, _):
            guard let peer = nodes[node].peer(of: id) else { return }
            outbox.added.append(.toForeignHost(node: node, .disconnect(peer)))
        case .injectErrors(let errorInjection): nodes[node].foreign.server.errorInjection = errorInjection
        default: break
        }
    }

    /// Sends a value through the foreign host of a device, and logs it; releases the packet.
    mutating func send(_ notification: PeripheralDevice.Notification, throughForeignHostOf node: Int) {
        let octets = pool.octets(of: notification.packet)
        if nodes[node].device.indicates(notification.handle) {
            note(.server(ForeignServer.anyClient, .indicated(handle: notification.handle, octets)), of: node)
        } else {
            noteNotified(notification, of: node)
        }
        outbox.added.append(.toForeignHost(node: node, .notify(handle: notification.handle, octets)))
        pool.release(notification.packet)
    }
}

extension ValueRequest {
    fileprivate func pdu(for handle: UInt16) -> PDU {
        switch self {
        case .read(offset: 0): .readRequest(handle: handle)
        case .read(let offset): .readBlobRequest(handle: handle, offset: UInt16(clamping: offset))
        case .write(let value, true): .writeCommand(handle: handle, value: value)
        case .write(let value, false): .writeRequest(handle: handle, value: value)
        }
    }
}

/// A server for requests that a foreign host forwards.
struct ForeignServer: Sendable {
    /// Any client, where a foreign host does not name it.
    static let anyClient = ConnectionID(number: 0)

    fileprivate(set) var server = Server(receives: Server.maximumMTU)
    private var connections: UInt32 = 0

    init() {
        server.adopt(mtu: Server.maximumMTU)
        server.security = .full  // the foreign host checks permissions
    }

    mutating func nextConnection() -> ConnectionID {
        connections += 1
        return ConnectionID(number: connections)
    }
}

extension Node {
    /// Passes a request to the server as a PDU, so that all rules of the server apply.
    ///
    /// - Returns: The value of a read, no octets for a write, or the error.
    fileprivate mutating func answer(
        _ request: ValueRequest, of handle: UInt16, at now: Instant, pool: inout PacketPool,
        into outputs: inout [Server.Output]
    ) -> Result<[UInt8], ATTError> {
        if case .write(let value, _) = request, value.count > AttributeTable.maximumValueLength {
            outputs.append(.refused(opcode: Opcode.writeRequest.rawValue, handle: handle, .invalidAttributeValueLength))
            return .failure(.invalidAttributeValueLength)
        }
        var all: [Server.Output] = []
        foreign.server.receive(
            pool.take(request.pdu(for: handle)), table: device.table, values: &device, at: now, pool: &pool, into: &all)
        var answer = Result<[UInt8], ATTError>.success([])
        for output in all {
            switch output {
            case .send(let packet):
                answer = Self.result(pool.octets(of: packet))
                pool.release(packet)
            case .refused(_, _, let error):
                answer = .failure(error)
                outputs.append(output)
            default: outputs.append(output)
            }
        }
        return answer
    }

    /// The value of a response, which follows the opcode, or the error of an Error Response, its fifth octet.
    private static func result(_ response: [UInt8]) -> Result<[UInt8], ATTError> {
        guard response.first == 0x01 else { return .success(Array(response.dropFirst())) }
        return .failure(response.count == 5 ? ATTError(rawValue: response[4]) : .unlikelyError)
    }
}
