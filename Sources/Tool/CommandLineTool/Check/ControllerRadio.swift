import Bluetooth
import Checks
import EventLog
import GATT
import HCI
import LEHost
import Octets
import Peripheral
import Simulation
import Sockets

/// Our own host above a controller that is reached by a stream.
final class ControllerRadio: LiveRadio {
    private enum Happening: Sendable {
        case stream(StreamConnection.Event)
        case timePassed
    }

    let time: RealTime
    private let address: StreamAddress
    private let connection: StreamConnection
    private let inbox = Inbox<Happening>()
    private var host: Host
    private var device: PeripheralDevice
    private var pool = PacketPool()
    private var framer = H4Framer()
    private var outbox: [Host.Output] = []
    var said = Said()
    private var packets: PacketLog

    /// Opens the stream; what passes goes to `log`, as controller 0.
    init(_ address: StreamAddress, _ time: RealTime, log: PacketLog) throws {
        (self.address, self.time, packets) = (address, time, log)
        let definition = PeripheralDefinition(name: "Lubdub client", appearance: Appearance(0), services: [])
        device = try PeripheralDevice(definition, seed: RandomStream(seed: 0))
        host = Host(table: device.table)
        connection = try StreamConnection(to: address, on: time.loop)
        packets.open(controller: 0, DeviceAddress(0, .public), name: "radio", at: time.now)
        connection.start { [inbox] in inbox.add(.stream($0)) }
    }

    func command(_ command: Host.Command) {
        step(.command(command))
        settle()
    }

    func take(_ packet: Packet) -> [UInt8] {
        defer { pool.release(packet) }
        return pool.octets(of: packet)
    }

    func unsupportedReason(_ faculty: RadioFaculty) -> String? {
        faculty == .lossOfLinks
            ? "nobody can take this peripheral out of range: not every controller ends its links when it is reset" : nil
    }

    func close() {
        if case .failure? = time.reason {
        } else {
            command(.cancelConnecting)
            command(.stopScanning)
            time.finish(within: .seconds(1)) {
                settle()
                return !said.hasLinks
            }
        }
        connection.close()
        packets.flush()
    }

    // MARK: Host and stream

    private func step(_ input: Host.Input) {
        host.step(input, values: &device, at: time.loop.now, pool: &pool, into: &outbox)
    }

    /// Takes messages between host and stream until there are none.
    func settle() {
        for happening in inbox.take() {
            switch happening {
            case .timePassed: step(.timePassed)
            case .stream(.opened): break
            case .stream(.received(let octets)): received(octets)
            case .stream(.ended): end("\(address): the controller has closed the stream")
            case .stream(.failed(let failure)): end(failure.description(at: address))
            }
        }
        while !outbox.isEmpty {
            let outputs = outbox
            outbox.removeAll(keepingCapacity: true)
            for output in outputs { hostSaid(output) }
        }
        packets.flush()
    }

    private func received(_ octets: [UInt8]) {
        framer.append(octets)
        do throws(H4Framer.Failure) {
            while let packet = try framer.next() {
                guard packet.octets.count <= PacketPool.capacity else { continue }
                note(packet.kind, packet.octets[...], isSent: false)
                step(.received(packet.kind, pool.take(packet.octets)))
            }
        } catch {
            connection.close()
            end("\(address): the controller does not speak H4: \(error)")
        }
    }

    private func hostSaid(_ output: Host.Output) {
        switch output {
        case .send(let kind, let packet):
            let octets = pool.octets(of: packet)
            pool.release(packet)
            note(kind, octets[...], isSent: true)
            connection.send(H4Framer.octets(kind, octets))
        case .wake(let due): time.loop.call(at: due) { [inbox] in inbox.add(.timePassed) }
        case .failed(let failure): end("\(address): \(failure)")
        case .refused(let opcode, let status):
            Console.complain("lubdub: \(address): the controller refused \(opcode): \(status)")
        default: said.add(output)
        }
    }

    private func note(_ kind: PacketKind, _ octets: ArraySlice<UInt8>, isSent: Bool) {
        switch (kind, isSent) {
        case (.command, true): packets.append(.command, controller: 0, octets, at: time.loop.now)
        case (.event, false): packets.append(.event, controller: 0, octets, at: time.loop.now)
        case (.acl, true): packets.append(.aclToController, controller: 0, octets, at: time.loop.now)
        case (.acl, false): packets.append(.aclToHost, controller: 0, octets, at: time.loop.now)
        default: break
        }
    }

    private func end(_ why: String) { time.end(.failure(why)) }
}
