import CommandSupport
import Synchronization
package import VirtualWorld

/// Keeps the bonds of a world's devices in a file.
package final class BondKeeper: Sendable {
    private struct State {
        var file: BondFile
        var changes = 0
    }

    private let state: Mutex<State>

    /// Gives the devices of a world the bonds in the file.
    package init(_ file: BondFile, _ world: inout World) {
        world.restoreBonds(file.bonds)
        state = Mutex(State(file: file))
    }

    /// Saves the bonds if they have changed.
    package func save(_ world: World) {
        state.withLock { state in
            guard state.changes != world.bondChanges else { return }
            state.changes = world.bondChanges
            do throws(CommandFailure) {
                for (device, bonds) in world.bonds { try state.file.save(bonds, of: device) }
            } catch { Console.warn("\(error)") }
        }
    }
}
