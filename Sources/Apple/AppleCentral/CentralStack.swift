package import Bluetooth
import GATT
package import HCI
package import LEHost
import Octets
import SecurityManager
package import Simulation

/// The `SharedCentral` and the host below it: packets of a controller on one side, requests and events of managers on the
/// other.
package struct CentralStack: Sendable {
    /// What the stack reacts to.
    package enum Input: Sendable {
        /// A packet of the controller, without its H4 indicator.
        case received(PacketKind, [UInt8])
        indirect case request(ManagerID, CentralRequest)
        /// The time is what a `.wake` requested, or any other.
        case timePassed
        /// The controller cannot be reached.
        case lost
    }

    /// What the stack requests or reports.
    package enum Output: Sendable {
        /// Send this packet to the controller.
        case send(PacketKind, [UInt8])
        /// Pass in `.timePassed` at this instant.
        case wake(at: Instant)
        indirect case event(ManagerID, CentralEvent)
    }

    /// The MTU that the service offers, as iOS does.
    package static let mtu = 185

    private var host: Host
    private var central: SharedCentral
    private var pool = PacketPool()
    private var outputs: [SharedCentral.Output] = []
    private var hostOutbox: [Host.Output] = []

    /// A stack above a controller that it resets and initializes with the first manager.
    ///
    /// - Parameters:
    ///   - address: Its identity address.
    ///   - security: How it pairs, and its bonds.
    ///   - user: The user of the phone, when it pairs.
    package init(_ address: DeviceAddress?, _ security: HostSecurity, user: PairingUser) {
        host = Host(table: AttributeTable(), randomAddress: address, receives: Self.mtu, security: security)
        central = SharedCentral(user: user)
    }

    /// Handles one input, and appends the outputs to `outbox` in order.
    package mutating func step(_ input: Input, at now: Instant, into outbox: inout [Output]) {
        switch input {
        case .received(let kind, let octets): stepHost(.received(kind, pool.take(octets)), at: now, into: &outbox)
        case .request(let manager, let request): central.perform(request, of: manager, at: now, into: &outputs)
        case .timePassed:
            central.timePassed(at: now, into: &outputs)
            stepHost(.timePassed, at: now, into: &outbox)
        case .lost: central.lose(into: &outputs)
        }
        settle(at: now, into: &outbox)
    }

    /// Passes commands and outputs between the host and the service until there are none.
    private mutating func settle(at now: Instant, into outbox: inout [Output]) {
        repeat {
            let requested = outputs
            outputs.removeAll(keepingCapacity: true)
            for output in requested {
                switch output {
                case .command(let command): stepHost(.command(command), at: now, into: &outbox)
                case .event(let manager, let event): outbox.append(.event(manager, event))
                case .wake(let due): outbox.append(.wake(at: due))
                }
            }
            central.writeCommands(waiting: { host.waitingFragments(of: $0) }, into: &outputs)
        } while !outputs.isEmpty
    }

    private mutating func stepHost(_ input: Host.Input, at now: Instant, into outbox: inout [Output]) {
        var values = NoAttributeValues()
        host.step(input, values: &values, at: now, pool: &pool, into: &hostOutbox)
        for output in hostOutbox {
            switch output {
            case .send(let kind, let packet):
                outbox.append(.send(kind, pool.octets(of: packet)))
                pool.release(packet)
            case .wake(let due): outbox.append(.wake(at: due))
            default: central.step(output, at: now, pool: &pool, into: &outputs)
            }
        }
        hostOutbox.removeAll(keepingCapacity: true)
    }
}
