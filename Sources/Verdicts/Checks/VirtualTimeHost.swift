import EventLog
import GATT
import LEHost
import Octets
import Scenarios
import Simulation
import VirtualWorld

/// A central host in a world in virtual time.
struct VirtualTimeHost: ExaminerHost {
    private var host: WorldCentralHost
    private let device: Int

    /// Adds a central to a world that has not started, which reaches one of its devices.
    init(_ world: World, device: Int) throws(AttributeTable.DefinitionError) {
        (host, self.device) = (try WorldCentralHost(in: world), device)
    }

    var world: World { host.world }
    var pool: PacketPool {
        get { host.pool }
        _modify { yield &host.pool }
    }
    var now: Instant { host.world.now }
    var simulated: (scenario: Scenario, device: Int)? { (host.world.scenario, device) }
    var isOver: Bool { false }

    mutating func start() {
        host.world.start()
        perform(.start)
    }

    mutating func perform(_ command: Host.Command) { host.perform(command) }

    mutating func drain(_ handle: (Host.Output, inout PacketPool) -> Void) { host.drain(handle) }

    mutating func play(until limit: Instant) -> Bool {
        while host.world.outbox.isEmpty {
            guard host.world.runNext(until: limit) else {
                host.world.run(until: limit)
                return false
            }
        }
        return true
    }

    func stall(since begin: Instant) -> Duration { .zero }

    mutating func act(_ action: Action, for duration: Duration?) -> Bool {
        host.world.act(action, as: "examiner", for: duration.map { .after($0) }, at: now)
    }

    mutating func flush() {
        host.world.packets.flush()
        host.world.journal.flush()
    }
}
