import Basics
import Bluetooth
import Clients
import GATT
import LEHost
import ScenarioModel
import Synchronization

@testable import VirtualWorld

/// The devices of a scenario on any radio, with a client, and what both did.
struct HostedDevices {
    private final class Recording: Sendable {
        let records = Mutex<[EventRecord]>([])
        let packets = Mutex<[String]>([])
    }

    /// Without keys, addresses and numbers to compare, which are random on a real radio.
    struct Course {
        /// The events of the log, without those of rules.
        var events: [String] = []
        /// The times, kinds and lengths of the packets between their hosts and their controllers.
        var packets: [String] = []
        /// The outputs for others, and when.
        var outputs: [String] = []

        var lines: [String] { events + packets + outputs }
    }

    /// The number of handles that the client of the attributes reads and writes.
    private static let handles: UInt16 = 60

    private let recording = Recording()
    private(set) var course = Course()
    /// The rules that began.
    private(set) var began: [String] = []

    /// Plays a scenario to its limit.
    init(_ scenario: Scenario, on radio: RadioKind) throws {
        var devices = try World(scenario, seed: 1)
        devices.placeDevices(on: radio)
        let (recording, wording) = (recording, devices.wording)
        devices.journal = EventJournal { chunk in
            recording.records.withLock { $0 += chunk.records(where: { _ in true }, in: wording) }
        }
        devices.packets = PacketLog { chunk in
            recording.packets.withLock { lines in
                lines += chunk.records.map { "\($0.instant.nanoseconds / 1000) \($0.kind) \($0.count)" }
            }
        }
        let limit = Instant.start.advanced(by: scenario.limit)
        switch radio {
        case .rehearsal, .virtual, .system: try playInOneWorld(&devices, until: limit)
        case .controllers: try playInTwoWorlds(&devices, until: limit)
        case .bluetoothd: playAttributes(&devices, until: limit)
        }
        devices.journal.flush()
        devices.packets.flush()
        course.packets = recording.packets.withLock { $0 }
        for record in recording.records.withLock({ $0 }) {
            switch record.event {
            case .began: began.append(record.rule ?? "")
            case .ended: break
            default:
                let value = [record.value, record.reason, record.error].compactMap(\.self).joined(separator: " ")
                course.events.append(
                    "\(record.instant.nanoseconds / 1000) \(record.event) \(record.entity ?? "") \(value)")
            }
        }
    }

    /// The built-in client is in the world of the devices.
    private mutating func playInOneWorld(_ devices: inout World, until limit: Instant) throws {
        let client = try AttachedClient(.init(), in: &devices)
        var session = Session(devices, client)
        session.begin()
        repeat { settle(&session) } while session.advance(until: limit)
        devices = session.world
    }

    /// The controllers of the devices are guests of another world, in which the built-in client is.
    private mutating func playInTwoWorlds(_ devices: inout World, until limit: Instant) throws {
        var air = try World(Scenario(limit: .seconds(1)), seed: 2)
        let client = try AttachedClient(.init(), in: &air)
        let controllers = devices.scenario.devices.map { _ in air.addGuest(at: .start) }
        var session = Session(air, client)
        devices.start()
        session.begin()
        repeat {
            exchange(&devices, &session.world, controllers)
            settle(&session)
            exchange(&devices, &session.world, controllers)
            let next = min(devices.nextDue ?? .never, session.deadline)
            guard next <= limit else { break }
            devices.run(until: next)
            if !session.advance(until: next) { session.world.run(until: next) }
        } while true
    }

    /// Passes packets between the devices' hosts and their controllers.
    private mutating func exchange(_ devices: inout World, _ air: inout World, _ controllers: [Int]) {
        while let output = devices.outbox.takeFirst() {
            switch output {
            case .toRadio(let node, let kind, let packet):
                air.receive(kind, devices.pool.octets(of: packet)[...], fromGuest: controllers[node], at: devices.now)
                devices.pool.release(packet)
            default: course.outputs.append("\(devices.now.nanoseconds / 1000) \(output)")
            }
        }
        var others: [World.Output] = []
        while let output = air.outbox.takeFirst() {
            guard case .toGuest(let controller, let kind, let packet) = output,
                let node = controllers.firstIndex(of: controller)
            else {
                others.append(output)
                continue
            }
            devices.receive(kind, air.pool.octets(of: packet)[...], fromRadioOf: node, at: air.now)
            air.pool.release(packet)
        }
        for output in others { air.outbox.added.append(output) }
    }

    private mutating func settle(_ session: inout Session<AttachedClient>) {
        session.settle()
        while let update = session.attached.updates.takeFirst() {
            course.outputs.append("\(session.world.now.nanoseconds / 1000) \(update.text.filter { !$0.isNumber })")
        }
    }

    /// A client that connects, subscribes, reads and writes each 100 ms, and goes.
    private mutating func playAttributes(_ devices: inout World, until limit: Instant) {
        let peer = DeviceAddress(0xF0F1_F2F3_F4F5, .random)
        devices.start()
        devices.attributeHostAdvertises(0, at: .start)
        devices.connected(peer, toAttributeHostOf: 0, at: .start)
        let table = devices.attributes(of: 0)
        for (service, definition) in table.services.enumerated() {
            for (place, characteristic) in definition.characteristics.enumerated()
            where !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
                guard let handle = table.handle(ofValue: place, service: service) else { continue }
                devices.subscribed(true, to: handle, ofAttributeHostOf: 0, at: .start)
            }
        }
        var now = Instant.start
        while now < limit {
            while devices.runNext(until: now.advanced(by: .milliseconds(100))) { note(&devices) }
            now = now.advanced(by: .milliseconds(100))
            for handle in 1...Self.handles {
                let read = devices.answer(.read(offset: 0), of: handle, from: peer, toAttributeHostOf: 0, at: now)
                let written = devices.answer(
                    .write([1], isCommand: false), of: handle, from: peer, toAttributeHostOf: 0, at: now)
                course.outputs.append("\(now.nanoseconds / 1000) \(handle): \(read) \(written)")
            }
            note(&devices)
        }
    }

    private mutating func note(_ devices: inout World) {
        while let output = devices.outbox.takeFirst() {
            course.outputs.append("\(devices.now.nanoseconds / 1000) \(output)")
        }
    }
}
