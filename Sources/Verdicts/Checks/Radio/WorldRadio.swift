import EventLog
import GATT
import LEHost
import Octets
import Scenarios
import Simulation
import VirtualWorld

/// A device of a world in virtual time, which is as fast as the machine.
struct WorldRadio: CentralRadio {
    /// As it is now.
    private(set) var world: World
    private let device: Int
    private let node: Int

    /// A central in a world that has not started, which reaches this one of its devices.
    init(_ world: World, device: Int) throws(AttributeTable.DefinitionError) {
        (self.world, self.device) = (world, device)
        node = try self.world.addClient(at: .start)
    }

    var now: Instant { world.now }
    var stage: (scenario: Scenario, device: Int)? { (world.scenario, device) }
    var isOver: Bool { false }

    mutating func start() {
        world.start()
        command(.start)
    }

    mutating func command(_ command: Host.Command) { world.command(command, of: node) }

    mutating func play(until limit: Instant) -> Bool {
        while world.outbox.isEmpty {
            guard world.runNext(until: limit) else {
                world.run(until: limit)
                return false
            }
        }
        return true
    }

    mutating func takeSaid() -> [Host.Output] {
        defer { world.outbox.removeAll(keepingCapacity: true) }
        return world.outbox.compactMap { if case .client(_, let output) = $0 { output } else { nil } }
    }

    mutating func take(_ packet: Packet) -> [UInt8] {
        defer { world.pool.release(packet) }
        return world.pool.octets(of: packet)
    }

    func standstill(since begin: Instant) -> Duration { .zero }

    mutating func act(_ action: Action, for duration: Duration?) -> Bool {
        world.act(action, as: "examiner", for: duration.map { .after($0) }, at: now)
    }

    /// Gives to the logs what has not been given to them yet.
    mutating func flush() {
        world.packets.flush()
        world.journal.flush()
    }
}
