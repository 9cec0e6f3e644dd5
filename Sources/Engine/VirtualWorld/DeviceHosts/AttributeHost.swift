import ATT
package import Basics
package import Bluetooth
import Devices
package import GATT
import HCI
import LEHost
package import ScenarioModel

/// A stack outside, such as bluetoothd, that owns the links of a device: it manages advertising, connections, discovery,
/// pairing and the clients' configurations, and requests only values.
package struct AttributeHost: Sendable {
    /// A command of the world to the stack.
    package enum Command: Hashable, Sendable {
        /// Advertise as the scenario defines it, or stop.
        case advertise(Bool)
        /// Advertise these data from now on.
        indirect case changeAdvertisement(ScenarioModel.Advertising)
        /// Notify or indicate a value to its subscribers.
        case notify(handle: UInt16, [UInt8])
        case disconnect(DeviceAddress)
        /// Remove the bonds with all clients of the device.
        case forgetBonds
    }

    /// Any client, where the stack does not name it.
    static let anyClient = ConnectionID(number: 0)

    /// Answers the requests that the stack forwards, from all clients.
    fileprivate var server = Server(receives: Server.maximumMTU)
    private var connections: UInt32 = 0

    init() {
        server.adopt(mtu: Server.maximumMTU)
        server.security = .full  // the stack checks permissions
    }

    fileprivate mutating func nextConnection() -> ConnectionID {
        connections += 1
        return ConnectionID(number: connections)
    }
}

// The actions that are possible with bluetoothd.
extension AttributeHost {
    /// How far an action is carried out; one that is in no table cannot be, because bluetoothd does this by itself.
    static func reach(of kind: Action.Kind) -> Reach {
        possible[kind] ?? impossible[kind] ?? .impossible("bluetoothd controls this")
    }

    private static let possible: [Action.Kind: Reach] = [
        .set: .whole, .notify: .whole, .silence: .whole, .drop: .whole, .duplicate: .whole, .delay: .whole,
        .reorder: .whole, .truncate: .whole, .lengthen: .whole, .burst: .whole, .leadOff: .whole, .drift: .whole,
        .skipTime: .whole, .clear: .whole, .stopAdvertising: .whole,
        .changeAdvertising: .only("without `octets`", else: "bluetoothd composes the data") { action in
            guard case .changeAdvertising(let change) = action.operation else { return true }
            return !change.keys.contains(.octets) && change.scanResponse?.octets == nil
        },
        .disconnect: .ignoring("reason") { operation in
            if case .disconnect(let reason?) = operation { !reason.means(.remoteUserTerminated) } else { false }
        },
        .raw: .only("without `channel`", else: "bluetoothd controls this") { action in
            if case .raw(_, nil) = action.operation { true } else { false }
        },
        .attError: .only(
            "with `\"on\": \"read\"` or `\"write\"`",
            else: "bluetoothd forwards only reads and writes: add \"on\": \"read\" or \"on\": \"write\""
        ) { action in
            switch action.operation {
            case .attError(.read, _), .attError(.write, _): true
            default: false
            }
        },
        .forgetBond: [Action.Kind: Reach].atExternalClient[.forgetBond] ?? .whole,
    ]

    private static let impossible: [Action.Kind: Reach] = [Action.Kind: Reach].onRealRadio.merging([
        .linkLoss: .impossible("bluetoothd keeps its links; use --radio hci:0"),
        .distance: .impossible("a real antenna cannot be moved"),
        .rssi: .impossible("a real signal strength cannot be set"),
        .unconfirmed: [Action.Kind: Reach].atExternalClient[.unconfirmed] ?? .whole,
        .user: .impossible(Reach.onlyOwnUsers),
    ])
}

extension World {
    /// Carries out an action on a device with attributes only, or undoes it.
    mutating func playOverAttributes(_ phase: ActionPhase, on node: Int) {
        switch phase.operation {
        case .stopAdvertising: restartAdvertising(of: node)
        case .changeAdvertising: changeAdvertising(of: node, begun: phase.begun)
        case .disconnect:
            for connection in nodes[node].connections { tell(node, .disconnect(connection.peer)) }
        case .attError:
            let errors = errorInjection(of: node)
            change(node) { host, _ in host.server.errorInjection = errors }
        case .forgetBond: tell(node, .forgetBonds)
        case .clear: break  // the script runner clears
        default: playOnValues(phase, on: node)
        }
    }

    /// Gives the stack of a device a command.
    mutating func tell(_ node: Int, _ command: AttributeHost.Command) {
        outbox.added.append(.toAttributeHost(node: node, command))
    }

    /// Sends a value through the stack of a device, and logs it; releases the packet.
    mutating func sendOverAttributes(_ notification: PeripheralDevice.Notification, of node: Int) {
        let octets = pool.octets(of: notification.packet)
        if nodes[node].device.indicates(notification.handle) {
            note(.server(AttributeHost.anyClient, .indicated(handle: notification.handle, octets)), of: node)
        } else {
            noteNotified(notification, of: node)
        }
        tell(node, .notify(handle: notification.handle, octets))
        pool.release(notification.packet)
    }

    /// Changes the host of a device, if that has attributes only; nil otherwise.
    @discardableResult
    private mutating func change<Answer>(
        _ node: Int, _ body: (inout AttributeHost, inout PeripheralDevice) -> Answer
    ) -> Answer? {
        guard nodes.indices.contains(node), case .attributes(var host) = nodes[node].hosting else { return nil }
        defer { nodes[node].hosting = .attributes(host) }
        return body(&host, &nodes[node].device)
    }
}

// Reports and requests of the stack.
extension World {
    package func attributes(of device: Int) -> AttributeTable { nodes[device].device.table }

    package mutating func attributeHostAdvertises(_ node: Int, at now: Instant) {
        receive(at: now, node) { world in world.note(.advertising(true), of: node) }
    }

    package mutating func connected(_ peer: DeviceAddress, toAttributeHostOf node: Int, at now: Instant) {
        receive(at: now, node) { world in
            guard !world.nodes[node].connections.contains(where: { $0.peer == peer }) else { return }
            let timing = ConnectionTiming(interval: 0, latency: 0, supervisionTimeout: 0)
            let complete = ConnectionComplete(handle: 0, role: .peripheral, peer: peer, timing: timing)
            guard let id = world.change(node, { host, _ in host.nextConnection() }) else { return }
            world.handle(.connected(id, complete), ofDevice: node)
        }
    }

    /// A client has disconnected from a device.
    package mutating func disconnected(
        _ peer: DeviceAddress, fromAttributeHostOf node: Int, reason: HCIStatus, at now: Instant
    ) {
        receive(at: now, node) { world in
            guard let connection = world.nodes[node].connections.first(where: { $0.peer == peer }) else { return }
            world.handle(.disconnected(connection.id, peer, reason: reason), ofDevice: node)
        }
    }

    /// The first client has subscribed to a value, or the last one has unsubscribed; the host does not name the clients.
    package mutating func subscribed(_ isOn: Bool, to handle: UInt16, ofAttributeHostOf node: Int, at now: Instant) {
        receive(at: now, node) { world in
            let anyClient = AttributeHost.anyClient
            let isSubscribed = world.nodes[node].subscriptions.contains { $0.isOf(anyClient, handle) }
            guard isSubscribed != isOn else { return }
            let output = isOn ? Server.Output.subscribed(handle: handle) : .unsubscribed(handle: handle)
            world.handle(.server(anyClient, output), ofDevice: node)
        }
    }

    /// A client has confirmed an indication of a value; the host does not name the client.
    package mutating func confirmed(_ handle: UInt16, toAttributeHostOf node: Int, at now: Instant) {
        receive(at: now, node) {
            $0.handle(.server(AttributeHost.anyClient, .confirmed(handle: handle)), ofDevice: node)
        }
    }

    /// Answers a client's request: with the value of a read, no octets for a write, or the error.
    ///
    /// `mtu` is that of the client's connection, if the host knows it.
    package mutating func answer(
        _ request: ValueRequest, of handle: UInt16, from peer: DeviceAddress?, mtu: Int? = nil,
        toAttributeHostOf node: Int, at now: Instant
    ) -> Result<[UInt8], ATTError> {
        var answer = Result<[UInt8], ATTError>.failure(.unlikelyError)
        receive(at: now, node) { world in
            let known = world.nodes[node].connections.first { $0.peer == peer }
            if let known, let mtu, mtu != known.mtu {
                world.handle(.server(known.id, .exchangedMTU(mtu)), ofDevice: node)
            }
            var outputs: [Server.Output] = []
            answer =
                world.change(node) { host, device in
                    host.server.answer(
                        request, of: handle, table: device.table, values: &device, at: now, into: &outputs)
                } ?? answer
            for output in outputs {
                world.handle(.server(known?.id ?? AttributeHost.anyClient, output), ofDevice: node)
            }
        }
        return answer
    }

    /// Runs to `now`, lets something happen to a device of the scenario, and then the script.
    private mutating func receive(at now: Instant, _ node: Int, _ happen: (inout World) -> Void) {
        run(until: now)
        guard nodes.indices.contains(node), nodes[node].hosting.hasOnlyAttributes else { return }
        happen(&self)
        runScript()
    }
}
