import Basics
import Synchronization
package import VirtualWorld

/// Keeps the bonds of a world's devices in a file, and what their servers know of bonded clients.
package final class BondKeeper: Sendable {
    private struct State {
        var file: BondFile
        var changes = 0
    }

    private let state: Mutex<State>

    /// Gives the devices of a world the bonds in the file.
    package init(_ file: BondFile, _ world: inout World) {
        world.restore { file.memory(of: $0) }
        state = Mutex(State(file: file))
    }

    /// Saves the bonds if they have changed.
    package func save(_ world: World) {
        state.withLock { state in
            guard state.changes != world.memoryChanges else { return }
            state.changes = world.memoryChanges
            do throws(Obstacle) {
                for (device, memory) in world.memories { try state.file.save(memory, of: device) }
            } catch { Notices.warn("\(error)") }
        }
    }
}
