package import Basics
package import Bluetooth
import GATT
package import HCI
package import LEHost
package import SecurityManager

/// The Bluetooth service of an operating system: one host, many programs. Packets of a controller are on one side, requests
/// and events of programs on the other.
///
/// It consists of a `SharedCentral`, a `SharedPeripheral`, a `PairingDesk` and the host below them. A ``HostPolicy`` says which
/// system it is.
package struct SystemHost: Sendable {
    /// What it reacts to.
    package enum Input: Sendable {
        /// A packet of the controller, without its H4 indicator.
        case received(PacketKind, [UInt8])
        indirect case request(ProgramID, ProgramRequest)
        /// Something begins, or ends, that happens to the service.
        indirect case trouble(SystemTrouble, isOn: Bool)
        /// The time is what a `.wake` requested, or any other.
        case timePassed
        /// The controller cannot be reached.
        case lost
    }

    /// What it requests or reports.
    package enum Output: Sendable {
        /// Send this packet to the controller.
        case send(PacketKind, [UInt8])
        /// Pass in `.timePassed` at this instant.
        case wake(at: Instant)
        indirect case event(ProgramID, ProgramEvent)
    }

    private var host: Host
    private var central: SharedCentral
    private var peripheral: SharedPeripheral
    private var desk: PairingDesk
    private var pool = PacketPool()
    private var outputs: [SharedCentral.Output] = []
    private var peripheralOutputs: [SharedPeripheral.Output] = []
    private var deskOutputs: [PairingDesk.Output] = []
    private var hostOutbox: [Host.Output] = []

    /// A service above a controller that it resets and initializes with the first program.
    ///
    /// - Parameters:
    ///   - policy: Which system it is.
    ///   - address: Its identity address.
    ///   - bonds: Its bonds.
    ///   - secrets: Where the secrets of pairing come from.
    ///   - user: The user of the machine, when it pairs.
    ///   - name: The name of the machine, if it is not the policy's.
    package init(
        _ policy: HostPolicy, _ address: DeviceAddress?, bonds: [Bond] = [], secrets: HostSecurity.Secrets = .system,
        user: PairingUser, name: String? = nil
    ) {
        let security = HostSecurity(policy.pairing.security, bonds: bonds, secrets: secrets)
        host = Host(table: AttributeTable(), randomAddress: address, receives: policy.mtu, security: security)
        host.endsUnansweredLinks = false
        central = SharedCentral(policy, bonds: bonds.map(\.peer))
        peripheral = SharedPeripheral(policy, name: name ?? policy.name)
        desk = PairingDesk(policy.pairing.security, user: user)
    }

    /// Handles one input, and appends the outputs to `outbox` in order.
    package mutating func step(_ input: Input, at now: Instant, into outbox: inout [Output]) {
        switch input {
        case .received(let kind, let octets): stepHost(.received(kind, pool.take(octets)), at: now, into: &outbox)
        case .request(let program, .central(let request)):
            if case .pair(let peer) = request, central.obstacle(toPairingWith: peer) == nil {
                desk.pair(peer, program, into: &deskOutputs)
            }
            if case .close = request { desk.close(program, into: &deskOutputs) }
            central.perform(request, of: program, at: now, into: &outputs)
        case .request(let program, .pairing(let request)): desk.perform(request, of: program, into: &deskOutputs)
        case .request(let program, .peripheral(let request)):
            // Every program has a state, which the central role keeps.
            peripheral.perform(request, of: program, at: now, into: &peripheralOutputs)
            if case .open = request { central.perform(.open, of: program, at: now, into: &outputs) }
            if case .close = request {
                desk.close(program, into: &deskOutputs)
                central.perform(.close, of: program, at: now, into: &outputs)
            }
        case .trouble(let trouble, let isOn): central.meet(trouble, isOn: isOn, at: now, into: &outputs)
        case .timePassed:
            central.timePassed(at: now, into: &outputs)
            peripheral.timePassed(at: now, into: &peripheralOutputs)
            stepHost(.timePassed, at: now, into: &outbox)
        case .lost: central.lose(at: now, into: &outputs)
        }
        settle(at: now, into: &outbox)
    }

    /// Passes commands and outputs between the host and the service until there are none.
    private mutating func settle(at now: Instant, into outbox: inout [Output]) {
        repeat {
            peripheral.turn(central.state, into: &peripheralOutputs)
            let (decided, requested, served) = (deskOutputs, outputs, peripheralOutputs)
            deskOutputs.removeAll(keepingCapacity: true)
            outputs.removeAll(keepingCapacity: true)
            peripheralOutputs.removeAll(keepingCapacity: true)
            for output in decided { handle(output, at: now, into: &outbox) }
            for output in requested { handle(output, at: now, into: &outbox) }
            for output in served { handle(output, at: now, into: &outbox) }
            central.writeCommands(waiting: { host.waitingFragments(of: $0) }, into: &outputs)
            peripheral.sendUpdates(waiting: { host.waitingFragments(of: $0) }, into: &peripheralOutputs)
        } while !outputs.isEmpty || !peripheralOutputs.isEmpty || !deskOutputs.isEmpty
    }

    private mutating func handle(_ output: PairingDesk.Output, at now: Instant, into outbox: inout [Output]) {
        switch output {
        case .command(let command): stepHost(.command(command), at: now, into: &outbox)
        case .event(let program, let event): outbox.append(.event(program, .pairing(event)))
        }
    }

    private mutating func handle(_ output: SharedCentral.Output, at now: Instant, into outbox: inout [Output]) {
        switch output {
        case .command(let command): stepHost(.command(command), at: now, into: &outbox)
        case .event(let program, .state(let state)) where peripheral.programs.contains(program):
            outbox.append(.event(program, .peripheral(.state(state))))
        case .event(let program, let event):
            if case .paired(let peer, let failure) = event, failure?.hasNoEffect != true {
                desk.finish(peer, into: &deskOutputs)
            }
            outbox.append(.event(program, .central(event)))
        case .wake(let due): outbox.append(.wake(at: due))
        }
    }

    private mutating func handle(_ output: SharedPeripheral.Output, at now: Instant, into outbox: inout [Output]) {
        switch output {
        case .command(let command): stepHost(.command(command), at: now, into: &outbox)
        case .notify(let id, let handle, let value):
            let packet = pool.take(value.prefix(AttributeTable.maximumValueLength))
            host.notify(handle, packet, to: id, at: now, pool: &pool, into: &hostOutbox)
            pool.release(packet)
            drainHost(at: now, into: &outbox)
        case .event(let program, let event): outbox.append(.event(program, .peripheral(event)))
        case .wake(let due): outbox.append(.wake(at: due))
        }
    }

    private mutating func stepHost(_ input: Host.Input, at now: Instant, into outbox: inout [Output]) {
        var values = NoAttributeValues()
        host.step(input, values: &values, at: now, pool: &pool, into: &hostOutbox)
        drainHost(at: now, into: &outbox)
    }

    private mutating func drainHost(at now: Instant, into outbox: inout [Output]) {
        for output in hostOutbox {
            switch output {
            case .send(let kind, let packet):
                outbox.append(.send(kind, pool.octets(of: packet)))
                pool.release(packet)
            case .wake(let due): outbox.append(.wake(at: due))
            default:
                peripheral.step(output, into: &peripheralOutputs)
                if case .security(let id, let security) = output,
                    let peer = central.peer(of: id) ?? peripheral.peer(of: id)
                {
                    desk.handle(security, id, peer, into: &deskOutputs)
                }
                if case .security(let id, .completed(let bond, isBonded: true)) = output,
                    let peer = peripheral.peer(of: id)
                {
                    central.bondedAsPeripheral(peer, identity: bond.peer, into: &outputs)
                }
                if case .disconnected(let id, _, _) = output { desk.disconnected(id, into: &deskOutputs) }
                if case .connected(_, let complete) = output, complete.role == .peripheral { continue }
                central.step(output, at: now, pool: &pool, into: &outputs)
            }
        }
        hostOutbox.removeAll(keepingCapacity: true)
    }
}
