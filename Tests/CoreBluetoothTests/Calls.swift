import LubdubTesting
import Synchronization

/// The instants at which a handler was called, in seconds of the scenario.
final class Calls: Sendable {
    private let all = Mutex<[Double]>([])
    private let world: SimulatedWorld

    init(_ world: SimulatedWorld) { self.world = world }

    var times: [Double] { all.withLock { $0 } }

    func note() { all.withLock { $0.append(world.now / .seconds(1)) } }
}
