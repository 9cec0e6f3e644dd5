import Arguments
import Bluetooth
import CommandSupport
import Documents
import GATT
import HCI
import LEHost
import Octets
import ScenarioLanguage
import ScenarioRuns
import Scenarios
import Simulation
import VirtualWorld

/// A host without the built-in client, in a world without logs.
struct MinimalClient {
    package private(set) var world: World
    private let node: Int
    private var lastProcedure: UInt32 = 0

    /// Starts the scenario's devices and the host.
    init(_ json: String) throws(CommandFailure) {
        let configuration = RunConfiguration(try benchScenario(json), seed: 1, events: nil, trace: nil)
        var world = try configuration.world()
        node = try orFail(.internalError, "cannot add the client: ") { try world.addClient(at: .start) }
        world.start()
        self.world = world
        command(.start)
    }

    package mutating func command(_ command: Host.Command) { world.command(command, of: node) }

    /// Plays until `pick` returns a value for an output of the host, for at most a minute; releases the packets.
    package mutating func play<Picked>(_ pick: (Host.Output, borrowing PacketPool) -> Picked?) -> Picked? {
        let limit = world.now.advanced(byNanoseconds: 60_000_000_000)
        repeat {
            if let picked = takeOutputs(pick) { return picked }
        } while world.runNext(until: limit)
        return nil
    }

    /// Plays up to an instant, and passes the host's outputs to `show`.
    package mutating func play(until instant: Instant, _ show: (Host.Output) -> Void) {
        repeat {
            let _: Void? = takeOutputs { output, _ in
                show(output)
                return nil
            }
        } while world.runNext(until: instant)
    }

    private mutating func takeOutputs<Picked>(_ pick: (Host.Output, borrowing PacketPool) -> Picked?) -> Picked? {
        guard !world.outbox.isEmpty else { return nil }
        var picked: Picked?
        for index in world.outbox.indices {
            guard case .client(_, let output) = world.outbox[index] else { continue }
            if picked == nil { picked = pick(output, world.pool) }
            switch output {
            case .notified(_, _, let packet), .indicated(_, _, let packet): world.pool.release(packet)
            default: break
            }
        }
        world.outbox.clear()
        return picked
    }

    /// Connects to a device, and exchanges the MTU; nil when that fails.
    package mutating func connect(to device: Int) -> ConnectionID? {
        let address = world.scenario.devices[device].address
        let isReady: Void? = play { output, _ in if case .started = output { () } else { nil } }
        guard isReady != nil else { return nil }
        let timing = ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x18, latency: 0, supervisionTimeout: 0x48)
        command(.connect(ConnectionCreation(to: address, parameters: timing), timeout: .seconds(30)))
        let id = play { output, _ in if case .connected(let id, _) = output { id } else { nil } }
        guard let id, perform(id, .exchangeMTU) != nil else { return nil }
        return id
    }

    /// Performs a procedure, and waits for its outcome; nil when it fails.
    package mutating func perform(_ connection: ConnectionID, _ procedure: Procedure) -> Procedure.Outcome? {
        lastProcedure &+= 1
        let number = lastProcedure
        command(.procedure(connection, procedure, id: number))
        let result = play { output, _ in
            if case .finished(_, number, let result) = output { result } else { nil }
        }
        return try? result?.get()
    }
}

func benchScenario(_ json: String) throws(CommandFailure) -> Scenario {
    let reading = ScenarioFile.read("bench.json") { _ in Array(json.utf8) }
    guard let scenario = reading.scenario, reading.problems.isEmpty else {
        throw CommandFailure(.internalError, problems: reading.problems.map(\.description))
    }
    return scenario
}
