import Synchronization
package import VirtualWorld

/// Keeps the bonds of a world's devices in a file, and what their servers know of bonded clients.
package final class BondKeeper: Sendable {
    private let file: BondFile
    /// How often the world's memories had changed when they were saved.
    private let changes = Mutex(0)

    /// Gives the devices of a world the bonds in the file.
    package init(_ file: BondFile, _ world: inout World) {
        self.file = file
        world.restore { file.memory(of: $0) }
    }

    /// Saves the bonds if they have changed.
    package func save(_ world: World) {
        let isNew = changes.withLock { changes in
            defer { changes = world.memoryChanges }
            return changes != world.memoryChanges
        }
        if isNew { file.save(world.memories) }
    }
}
