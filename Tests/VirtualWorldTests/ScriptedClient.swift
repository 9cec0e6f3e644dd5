import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import ScenarioModel
import Synchronization
import Testing
import VirtualWorld

@testable import Conformance

/// A client of a scenario's first device that performs a test's requests; and the logs of its world.
/// It connects as soon as it can, and again if it returns.
struct ScriptedClient {
    /// A procedure, at an instant or as soon as the one before it has ended.
    struct ScheduledRequest {
        let at: Duration?
        let procedure: Procedure
    }

    private final class Recording: Sendable {
        let records = Mutex<[EventRecord]>([])
        let log = Mutex(JSONText())
        let trace = Mutex<[UInt8]>(Btsnoop.header)
    }

    private(set) var world: World
    private let node: Int
    private let recording = Recording()
    private var requests: [ScheduledRequest]
    private var link: ConnectionID?
    private var returns: Bool
    private var limit: Instant
    private var asked: UInt32 = 0
    /// What it got for each wish, in the order of the answers, and when.
    private(set) var answers: [(at: Instant, result: Result<Procedure.Outcome, Procedure.Failure>)] = []
    /// What it was notified or indicated, and when.
    private(set) var values: [(at: Instant, handle: UInt16, octets: [UInt8])] = []

    init(
        _ scenario: Scenario, seed: UInt64 = 1, sleeps: Bool = true, returns: Bool = true,
        asking requests: [ScheduledRequest] = []
    ) throws {
        (self.requests, self.returns, limit) = (requests, returns, .start.advanced(by: scenario.limit))
        world = try World(scenario, seed: seed, sleeps: sleeps)
        node = try world.addClient(at: .start)
        let (recording, wording, snoop) = (recording, world.wording, Btsnoop(epoch: .zero))
        world.journal = EventJournal { chunk in
            recording.records.withLock { $0 += chunk.records(where: { _ in true }, in: wording) }
            recording.log.withLock { chunk.write(in: wording, to: &$0) }
        }
        world.packets = PacketLog { chunk in
            recording.trace.withLock { trace in
                for record in chunk.records { snoop.append(record, chunk.octets(of: record), to: &trace) }
            }
        }
        world.start()
        world.command(.start, of: node)
        goOnToLimit()
    }

    /// Disconnects for good; returns the number of packets that were not released.
    mutating func end() -> Int {
        (returns, limit) = (false, limit.advanced(by: .seconds(10)))
        if let link { world.command(.disconnect(link, reason: .remoteUserTerminated), of: node) }
        goOnToLimit()
        return world.pool.taken
    }

    /// The event log, line by line.
    var lines: [String] { recording.log.withLock { $0.string }.split(separator: "\n").map(String.init) }
    var trace: [UInt8] { recording.trace.withLock { $0 } }
    var records: [EventRecord] { recording.records.withLock { $0 } }

    func records(_ event: EventName, of entity: String? = nil) -> [EventRecord] {
        records.filter { $0.event == event && (entity == nil || $0.entity == entity) }
    }

    /// `5.0 connected strap`: events with their things, to a tenth of a second.
    func told(_ events: EventName..., of entities: String...) -> [String] {
        records.filter { record in events.contains(record.event) && entities.contains(record.entity ?? "") }.map {
            record in
            "\(Double(record.instant.nanoseconds / 100_000_000) / 10) \(record.event) \(record.entity ?? "")"
        }
    }

    /// The number of occurrences of these octets in the trace.
    func count(_ octets: [UInt8]) -> Int {
        let trace = trace
        return trace.indices.count { trace[$0...].starts(with: octets) }
    }

    private mutating func goOnToLimit() {
        repeat {
            settle()
            if let due = requests.first?.at.map({ Instant.start.advanced(by: $0) }), due <= world.now { ask() }
            settle()
        } while goOn()
        world.run(until: limit)
        settle()
        world.journal.flush()
        world.packets.flush()
    }

    private mutating func goOn() -> Bool {
        let due = link == nil ? .never : requests.first?.at.map { Instant.start.advanced(by: $0) } ?? .never
        if due > world.now, due < world.nextDue ?? .never {
            world.run(until: due)
            return due <= limit
        }
        return world.runNext(until: limit)
    }

    private mutating func settle() {
        while !world.outbox.isEmpty {
            let heard = world.outbox
            world.outbox.removeAll()
            for case .client(_, let output) in heard { take(output) }
        }
    }

    private mutating func take(_ output: Host.Output) {
        switch output {
        case .started: connect()
        case .disconnected:
            link = nil
            if returns { connect() }
        case .connected(let id, _):
            link = id
            askNext()
        case .finished(_, _, let result):
            answers.append((world.now, result))
            askNext()
        case .notified(_, let handle, let packet), .indicated(_, let handle, let packet):
            values.append((world.now, handle, world.pool.octets(of: packet)))
            world.pool.release(packet)
        default: break
        }
    }

    private mutating func connect() {
        let parameters = ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x48)
        let creation = ConnectionCreation(to: world.scenario.devices[0].address, parameters: parameters)
        world.command(.connect(creation, timeout: nil), of: node)
    }

    /// Performs the next request that has no time.
    private mutating func askNext() {
        if let wish = requests.first, wish.at == nil { ask() }
    }

    private mutating func ask() {
        guard let link, !requests.isEmpty else { return }
        asked += 1
        world.command(.procedure(link, requests.removeFirst().procedure, id: asked), of: node)
    }
}

extension ScriptedClient.ScheduledRequest {
    static func now(_ procedure: Procedure) -> ScriptedClient.ScheduledRequest {
        ScriptedClient.ScheduledRequest(at: nil, procedure: procedure)
    }
    static func at(_ time: Duration, _ procedure: Procedure) -> ScriptedClient.ScheduledRequest {
        ScriptedClient.ScheduledRequest(at: time, procedure: procedure)
    }
}
