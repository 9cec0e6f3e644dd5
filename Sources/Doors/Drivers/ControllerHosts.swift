package import Basics
import Bluetooth
import Devices
import GATT
import HCI
package import LEHost
import Linux
package import ScenarioModel
import SecurityManager
package import Sockets
import VirtualWorld

/// The built-in host above a controller that Lubdub does not simulate.
package final class HCICentralHost: LiveCentralHost {
    private enum Input: Sendable {
        case transport(H4Transport.Event)
        case timePassed
        case answered(Host.Command)
    }

    /// Why the host is unusable; nil while it works.
    package private(set) var failure: String?
    package var pool = PacketPool()

    private let address: ControllerAddress
    private let loop: EventLoop
    private let transport: H4Transport
    private let inbox: Inbox<Input>
    private var host: Host
    private var device: PeripheralDevice
    private var hostOutbox: [Host.Output] = []
    private var outputs: [Host.Output] = []
    private var waiting: [Host.Input] = []  // until the transport is open
    private var isOpen = false
    private var hasStarted = false
    private var keepsLinks = false  // through a reset
    private var log: PacketLog
    private var warnings = HostWarnings()
    private let bonds: BondFile?
    private var passkeys: PasskeyQuestions
    private let ownAddress: DeviceAddress

    /// Connects to a controller, and calls `notify` on the loop's thread. `log` receives all packets, as those of
    /// controller 0.
    package init(
        above address: ControllerAddress, on loop: EventLoop, log: PacketLog = PacketLog(sink: nil),
        security: ClientSecurity = ClientSecurity(), notify: @escaping @Sendable () -> Void = {}
    ) throws(Obstacle) {
        (self.address, self.loop, self.log, inbox) = (address, loop, log, Inbox(notify: notify))
        (bonds, passkeys) = (security.bonds, PasskeyQuestions(security))
        ownAddress = security.bonds?.address ?? Self.randomAddress()
        do {
            let definition = PeripheralDefinition(name: "Lubdub client", appearance: Appearance(0), services: [])
            device = try PeripheralDevice(definition, seed: RandomStream(seed: 0))
        } catch { throw Obstacle(.environment, "\(error)") }
        transport = try H4Transport(above: address, on: loop)
        host = Host(table: device.table, randomAddress: ownAddress, security: security.ofHost(ownAddress))
        self.log.open(controller: 0, DeviceAddress(0, .public), name: "radio", at: loop.now)
        transport.start { [inbox] in inbox.add(.transport($0)) }
    }

    /// A static address, which most hosts use: Bumble's `LocalLink` routes data by it.  Hosts of one radio need different
    /// ones, and there is no seed.  Core 6.0, Vol 6, Part B, section 1.3.2.1.
    private static func randomAddress() -> DeviceAddress {
        var chance = SystemRandomNumberGenerator()
        return DeviceAddress(0xC000_0000_0000 | chance.next() >> 18, .random)
    }

    package var description: String { "\(address)" }

    package var silence: String? {
        guard !hasStarted else { return nil }
        return ControllerTrouble.silence(isOpen ? host.unansweredAtStart ?? Command.reset.opcode : nil, address)
    }

    /// A controller ends a connection within a few connection intervals.
    package var disconnectTimeout: Duration { .seconds(1) }

    package var close: @Sendable () async -> String? {
        { [transport] in
            transport.close()
            return nil
        }
    }

    /// Whether the controller loses its links by a reset is known after the first one.
    package func unsupportedReason(for capability: CentralCapability) -> String? {
        capability == .lossOfLinks && keepsLinks ? ControllerTrouble.keepsLinks : nil
    }

    /// Performs a command, as soon as the stream is open.
    package func perform(_ command: Host.Command) {
        if isOpen { step(.command(command)) } else { waiting.append(.command(command)) }
    }

    /// Injects a fault, as soon as the stream is open.
    package func inject(_ fault: Host.Fault) {
        if isOpen { step(.fault(fault)) } else { waiting.append(.fault(fault)) }
    }

    /// Handles the controller's packets, and passes on the host's outputs.
    package func drain(_ handle: (Host.Output, inout PacketPool) -> Void) {
        var inputs = inbox.take()
        while !inputs.isEmpty {
            for input in inputs { self.handle(input) }
            inputs = inbox.take()  // the passkey that one of them has requested
        }
        for output in outputs { handle(output, &pool) }
        outputs.clear()
        log.flush()
    }

    private func handle(_ input: Input) {
        switch input {
        case .timePassed: step(.timePassed)
        case .answered(let command): step(.command(command))
        case .transport(.opened):
            isOpen = true
            for input in waiting { step(input) }
            waiting.removeAll()
        case .transport(.received(let packets)):
            for packet in packets {
                note(packet.kind, packet.octets, isSent: false)
                step(.received(packet.kind, pool.take(packet.octets)))
            }
        case .transport(.failed(let failure)): fail(ControllerTrouble.message(failure, address))
        }
    }

    private func step(_ input: Host.Input) {
        host.step(input, values: &device, at: loop.now, pool: &pool, into: &hostOutbox)
        for output in hostOutbox { passkeys.take(output) { [inbox] in inbox.add(.answered($0)) } }
        if hostOutbox.contains(where: \.changesBonds) { bonds?.save(host.security.bonds, of: ownAddress) }
        for output in hostOutbox { handle(output) }
        hostOutbox.removeAll(keepingCapacity: true)
    }

    private func handle(_ output: Host.Output) {
        switch output {
        case .send(let kind, let packet):
            let octets = pool.octets(of: packet)
            pool.release(packet)
            note(kind, octets, isSent: true)
            transport.send(kind, octets)
        case .wake(let due): loop.call(at: due) { [inbox] in inbox.add(.timePassed) }
        // A controller that worked before may work again.
        case .failed(let failure) where !hasStarted: fail(ControllerTrouble.message(failure, address))
        case .malformed:
            if let text = warnings.warning(for: output) { Notices.warn("\(address): \(text)") }
        default:
            if case .started = output { hasStarted = true }
            if case .keptThroughReset = output { keepsLinks = true }
            outputs.append(output)
        }
    }

    private func fail(_ reason: String) { failure = failure ?? reason }

    private func note(_ kind: PacketKind, _ octets: [UInt8], isSent: Bool) {
        switch (kind, isSent) {
        case (.command, true): log.append(.command, controller: 0, octets[...], at: loop.now)
        case (.event, false): log.append(.event, controller: 0, octets[...], at: loop.now)
        case (.acl, true): log.append(.aclToController, controller: 0, octets[...], at: loop.now)
        case (.acl, false): log.append(.aclToHost, controller: 0, octets[...], at: loop.now)
        default: break
        }
    }
}

/// The host of a client in a live world without devices, where an external peripheral uses a virtual controller.
package final class LiveWorldCentralHost: LiveCentralHost {
    package let offered: [StreamAddress]
    package var pool = PacketPool()

    /// Its world, in which the Bluetooth services of systems can be played, too.
    package let air: LiveWorld
    private let inbox = Inbox<Host.Output>()

    /// Offers controllers, and logs the packets of the client's host as those of controller 0.
    package init(offering addresses: [StreamAddress], on loop: EventLoop, log: PacketLog) throws(Obstacle) {
        (air, offered) = try orFail {
            var world = try World(.empty, seed: 1)
            world.packets = log
            _ = try world.addClient(at: .start)
            let air = LiveWorld(world, on: loop, RunCompletion(), isQuiet: true) { world in
                world.packets.flush()
                return true
            }
            let offered = try addresses.map { address in try air.assumeIsolated { try $0.offer(address) } }
            return (air, offered)
        }
        air.assumeIsolated { [inbox] air in
            air.handleClientOutputs { inbox.add($0) }
            air.start()
        }
    }

    /// Where the peripheral's host finds a controller.
    package var description: String { offered.map { "\($0)" }.joined(separator: ", ") }
    /// A virtual controller does not fail.
    package var failure: String? { nil }
    /// The world ends a link within a few connection intervals.
    package var disconnectTimeout: Duration { .seconds(1) }
    package var close: @Sendable () async -> String? {
        { [air] in
            await air.stopOffering()
            return nil
        }
    }

    package func perform(_ command: Host.Command) { visit { $0.perform(command) } }

    package func inject(_ fault: Host.Fault) { visit { $0.inject(fault) } }

    /// Moves the packets from the world's pool into that of the host.
    package func drain(_ handle: (Host.Output, inout PacketPool) -> Void) {
        for var output in inbox.take() {
            switch output {
            case .notified(let id, let handle, let packet): output = .notified(id, handle: handle, moved(packet))
            case .indicated(let id, let handle, let packet): output = .indicated(id, handle: handle, moved(packet))
            default: break
            }
            handle(output, &pool)
        }
    }

    private func moved(_ packet: Packet) -> Packet {
        pool.take(
            visit { world in
                defer { world.pool.release(packet) }
                return world.pool.octets(of: packet)
            })
    }

    private func visit<Answer: Sendable>(_ body: @Sendable (inout World) -> Answer) -> Answer {
        air.assumeIsolated { air in air.visit { world, _ in body(&world) } }
    }
}
