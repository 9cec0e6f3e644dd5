import Basics
import Bluetooth
import Characteristics
import Clients
import GATT
import HCI
import LEHost
import ScenarioModel
import Synchronization
import VirtualWorld

/// A client of a scenario's first device that subscribes to all that there is, and asks Polar Measurement Data for an
/// electrocardiogram; and everything that was logged.
struct Listener {
    private final class Recording: Sendable {
        let records = Mutex<[EventRecord]>([])
        let log = Mutex(JSONText())
    }

    private var world: World
    private let node: Int
    private let recording = Recording()
    private var procedures: [Procedure] = []
    private var next = 0
    private(set) var failures = 0

    init(_ scenario: Scenario, seed: UInt64, sleeps: Bool) throws {
        world = try World(scenario, seed: seed, sleeps: sleeps)
        node = try world.addClient(at: .start)
        let (recording, wording) = (recording, world.wording)
        world.journal = EventJournal { chunk in
            recording.records.withLock { $0 += chunk.records(where: { _ in true }, in: wording) }
            recording.log.withLock { chunk.write(in: wording, to: &$0) }
        }
        procedures = [.exchangeMTU, .discoverEverything] + Self.requests(world.attributes(of: 0))
    }

    /// The event log, line by line.
    var lines: [String] { recording.log.withLock { $0.string }.split(separator: "\n").map(String.init) }
    var records: [EventRecord] { recording.records.withLock { $0 } }
    /// The number of packets that were not released.
    var taken: Int { world.pool.taken }

    private static func requests(_ table: AttributeTable) -> [Procedure] {
        var requests: [Procedure] = []
        for (service, definition) in table.services.enumerated() {
            for (place, characteristic) in definition.characteristics.enumerated() {
                guard let handle = table.handle(ofValue: place, service: service) else { continue }
                if characteristic.properties.contains(.notify) {
                    requests.append(.configure(handle: handle + 1, .notification))
                } else if characteristic.properties.contains(.indicate) {
                    requests.append(.configure(handle: handle + 1, .indication))
                }
                if characteristic.properties.contains(.read) { requests.append(.readLong(handle: handle)) }
            }
        }
        if let handle = table.handle(ofFirst: PMD.Identifier.controlPoint.uuid) {
            requests.append(.write(handle: handle, value: [2, 0, 0, 1, 0x82, 0, 1, 1, 14, 0]))
        }
        return requests
    }

    mutating func play() {
        let limit = Instant.start.advanced(by: world.scenario.limit)
        world.start()
        world.command(.start, of: node)
        repeat {
            while !world.outbox.isEmpty {
                let heard = world.outbox
                world.outbox.removeAll()
                for case .client(_, let output) in heard { take(output) }
            }
        } while world.runNext(until: limit)
        world.run(until: limit)
        world.journal.flush()
    }

    private mutating func take(_ output: Host.Output) {
        switch output {
        case .started:
            let peer = world.scenario.devices[0].address
            let creation = ConnectionCreation(
                to: peer, parameters: SensorCollector.Settings().connection)
            world.command(.connect(creation, timeout: .seconds(30)), of: node)
        case .connected(let id, _): ask(id)
        case .finished(let id, _, let result):
            if case .failure = result { failures += 1 }
            ask(id)
        case .notified(_, _, let packet), .indicated(_, _, let packet): world.pool.release(packet)
        default: break
        }
    }

    private mutating func ask(_ id: ConnectionID) {
        guard next < procedures.count else { return }
        world.command(.procedure(id, procedures[next], id: UInt32(next)), of: node)
        next += 1
    }
}
