import Basics
import Bluetooth
import Clients
import GATT
import HCI
import LEHost
import ScenarioModel
import Synchronization
import VirtualWorld

/// A client of a scenario's first device that asks what a test wants to know, one thing after the other.
struct ProcedureClient {
    /// A value that the device has notified or indicated.
    struct Heard: Equatable {
        let handle: UInt16
        let octets: [UInt8]
        let isIndicated: Bool
    }

    private final class Recording: Sendable {
        let records = Mutex<[EventRecord]>([])
    }

    struct NoAnswer: Error {}

    var world: World
    /// Since this was last emptied.
    var heard: [Heard] = []
    private let node: Int
    private let recording = Recording()
    private var id: ConnectionID?
    private var answers: [UInt32: Result<Procedure.Outcome, Procedure.Failure>] = [:]
    private var asked: UInt32 = 0

    /// Connects, or has no connection.
    init(_ play: TestScenario, connects: Bool = true) throws {
        world = try World(play.scenario, seed: 1)
        node = try world.addClient(at: .start)
        let (recording, wording) = (recording, world.wording)
        world.journal = EventJournal { chunk in
            recording.records.withLock { $0 += chunk.records(where: { _ in true }, in: wording) }
        }
        world.start()
        guard connects else { return }
        world.command(.start, of: node)
        goOn { $0.id == nil }
    }

    /// What happened, in order.
    var records: [EventRecord] {
        mutating get {
            world.journal.flush()
            return recording.records.withLock { $0 }
        }
    }

    mutating func run(until seconds: Double) {
        let limit = Instant(nanoseconds: Int64(seconds * 1e9))
        repeat { listen() } while world.runNext(until: limit)
        world.run(until: limit)
        listen()
    }

    /// The answer, without anything else being asked before it has come.
    mutating func ask(_ procedure: Procedure) throws -> Result<Procedure.Outcome, Procedure.Failure> {
        let number = try begin(procedure)
        goOn { $0.answers[number] == nil }
        guard let answer = answers[number] else { throw NoAnswer() }
        return answer
    }

    /// Starts a procedure without waiting; returns its number.
    mutating func begin(_ procedure: Procedure) throws -> UInt32 {
        guard let id else { throw NoAnswer() }
        asked += 1
        world.command(.procedure(id, procedure, id: asked), of: node)
        listen()
        return asked
    }

    func answer(_ number: UInt32) -> Result<Procedure.Outcome, Procedure.Failure>? { answers[number] }

    /// Plays on for 40 s at most, while something is so.
    private mutating func goOn(while isSo: (ProcedureClient) -> Bool) {
        let limit = world.now.advanced(by: .seconds(40))
        repeat { listen() } while isSo(self) && world.runNext(until: limit)
    }

    private mutating func listen() {
        while !world.outbox.isEmpty {
            let outputs = world.outbox
            world.outbox.removeAll()
            for case .client(_, let output) in outputs { take(output) }
        }
    }

    private mutating func take(_ output: Host.Output) {
        switch output {
        case .started:
            let creation = ConnectionCreation(
                to: world.scenario.devices[0].address, parameters: SensorCollector.Settings().connection)
            world.command(.connect(creation, timeout: .seconds(30)), of: node)
        case .connected(let id, _): self.id = id
        case .disconnected: id = nil
        case .finished(_, let number, let result): answers[number] = result
        case .notified(_, let handle, let packet), .indicated(_, let handle, let packet):
            var isIndicated = false
            if case .indicated = output { isIndicated = true }
            heard.append(Heard(handle: handle, octets: world.pool.octets(of: packet), isIndicated: isIndicated))
            world.pool.release(packet)
        default: break
        }
    }
}
