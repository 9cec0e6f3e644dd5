import Basics
import Bluetooth
import Cases
import CommandSupport
import Documents
import GATT
import HCI
import LEHost
import ScenarioLanguage
import ScenarioModel
import VirtualWorld

/// A host without the built-in client, in a world without logs.
struct MinimalClient {
    private(set) var world: World
    private var lastProcedure: UInt32 = 0

    /// Starts the scenario's devices and the host.
    init(_ json: String) throws(Obstacle) {
        let plan = RunPlan(try benchScenario(json), seed: 1, events: nil, trace: nil)
        var world = try plan.world()
        _ = try orFail(.internalError, "cannot add the client: ") { try world.addClient(at: .start) }
        world.start()
        self.world = world
        command(.start)
    }

    mutating func command(_ command: Host.Command) { world.perform(command) }

    /// Plays until `pick` returns a value for an output of the host, for at most a minute; releases the packets.
    mutating func play<Picked>(_ pick: (Host.Output) -> Picked?) -> Picked? {
        let limit = world.now.advanced(byNanoseconds: 60_000_000_000)
        repeat {
            if let picked = takeOutputs(pick) { return picked }
        } while world.runNext(until: limit)
        return nil
    }

    /// Plays up to an instant, and passes the host's outputs to `show`.
    mutating func play(until instant: Instant, _ show: (Host.Output) -> Void) {
        repeat {
            let _: Void? = takeOutputs { output in
                show(output)
                return nil
            }
        } while world.runNext(until: instant)
    }

    private mutating func takeOutputs<Picked>(_ pick: (Host.Output) -> Picked?) -> Picked? {
        guard !world.outbox.isEmpty else { return nil }
        var picked: Picked?
        world.drain { output, pool in
            if picked == nil { picked = pick(output) }
            switch output {
            case .notified(_, _, let packet), .indicated(_, _, let packet): pool.release(packet)
            default: break
            }
        }
        return picked
    }

    /// Connects to a device, and exchanges the MTU; nil when that fails.
    mutating func connect(to device: Int) -> ConnectionID? {
        let address = world.scenario.devices[device].address
        let isReady: Void? = play { output in if case .started = output { () } else { nil } }
        guard isReady != nil else { return nil }
        let timing = ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x18, latency: 0, supervisionTimeout: 0x48)
        command(.connect(ConnectionCreation(to: address, parameters: timing), timeout: .seconds(30)))
        let id = play { output in if case .connected(let id, _) = output { id } else { nil } }
        guard let id, perform(id, .exchangeMTU) != nil else { return nil }
        return id
    }

    /// Performs a procedure, and waits for its outcome; nil when it fails.
    mutating func perform(_ connection: ConnectionID, _ procedure: Procedure) -> Procedure.Outcome? {
        lastProcedure &+= 1
        let number = lastProcedure
        command(.procedure(connection, procedure, id: number))
        let result = play { output in
            if case .finished(_, number, let result) = output { result } else { nil }
        }
        return try? result?.get()
    }
}

func benchScenario(_ json: String) throws(Obstacle) -> Scenario {
    let reading = ScenarioFile.read("bench.json") { _ in Array(json.utf8) }
    guard let scenario = reading.scenario, reading.problems.isEmpty else {
        throw Obstacle(.internalError, problems: reading.problems.flatMap(\.lines))
    }
    return scenario
}
