import Arguments
import Bluetooth
import Documents
import GATT
import HCI
import LEHost
import Octets
import Scenarios
import Simulation
import VirtualWorld

/// A host that does only what a row tells it, in a world that keeps no log.
struct BareClient {
    private(set) var world: World
    private let node: Int
    private var lastProcedure: UInt32 = 0

    /// Above its controller, in the air of a scenario's devices, which are on.
    init(_ json: String) throws(CommandFailure) {
        let played = Played(try benchScenario(json), seed: 1, events: nil, trace: nil)
        world = try played.world()
        do throws(AttributeTable.DefinitionError) { node = try world.addClient(at: .start) } catch {
            throw CommandFailure(.internalError, "lubdub: the client has no room for its attributes: \(error)")
        }
        world.start()
        command(.start)
    }

    mutating func command(_ command: Host.Command) { world.command(command, of: node) }

    /// Plays until the host says something that is picked, a minute at most; packets are released once they were shown.
    mutating func play<Picked>(_ pick: (Host.Output, borrowing PacketPool) -> Picked?) -> Picked? {
        let limit = world.now.advanced(byNanoseconds: 60_000_000_000)
        repeat {
            if let picked = hear(pick) { return picked }
        } while world.runNext(until: limit)
        return nil
    }

    /// Plays up to an instant, and shows what the host says.
    mutating func play(until instant: Instant, _ show: (Host.Output) -> Void) {
        repeat {
            let _: Void? = hear { output, _ in
                show(output)
                return nil
            }
        } while world.runNext(until: instant)
    }

    private mutating func hear<Picked>(_ pick: (Host.Output, borrowing PacketPool) -> Picked?) -> Picked? {
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

    /// Connects to a device, and agrees on the MTU; nil when that does not come about.
    mutating func connect(to device: Int) -> ConnectionID? {
        let address = world.scenario.devices[device].address
        let isReady: Void? = play { output, _ in if case .started = output { () } else { nil } }
        guard isReady != nil else { return nil }
        let timing = ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x18, latency: 0, supervisionTimeout: 0x48)
        command(.connect(ConnectionCreation(to: address, parameters: timing), timeout: .seconds(30)))
        let id = play { output, _ in if case .connected(let id, _) = output { id } else { nil } }
        guard let id, ask(id, .exchangeMTU) != nil else { return nil }
        return id
    }

    /// Asks the peer's server, and waits for the outcome; nil for a failure.
    mutating func ask(_ connection: ConnectionID, _ procedure: Procedure) -> Procedure.Outcome? {
        lastProcedure &+= 1
        let number = lastProcedure
        command(.procedure(connection, procedure, id: number))
        let result = play { output, _ in
            if case .finished(_, number, let result) = output { result } else { nil }
        }
        return try? result?.get()
    }
}

/// A scenario that a row has written.
func benchScenario(_ json: String) throws(CommandFailure) -> Scenario {
    let reading = ScenarioFile.read("bench.json") { _ in Array(json.utf8) }
    guard let scenario = reading.scenario, reading.problems.isEmpty else {
        throw CommandFailure(.internalError, reading.problems.map(\.description).joined(separator: "\n"))
    }
    return scenario
}
