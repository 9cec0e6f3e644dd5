package import Basics
package import GATT
package import LEHost

/// The host of a client in a simulated world.
package struct WorldCentralHost: CentralHost, Sendable {
    package var world: World
    package let node: Int

    /// Adds a client to a world that has not started.
    ///
    /// - Throws: `AttributeTable.DefinitionError` if the client's attributes do not fit into its table.
    package init(in world: World) throws(AttributeTable.DefinitionError) {
        self.world = world
        node = try self.world.addClient(at: .start)
    }

    package var pool: PacketPool {
        get { world.pool }
        _modify { yield &world.pool }
    }

    /// Performs a command at the world's present.
    package mutating func perform(_ command: Host.Command) { world.command(command, of: node) }

    /// Injects a fault at the world's present.
    package mutating func inject(_ fault: Host.Fault) { world.inject(fault, into: node) }

    /// Whether the world's outbox has something for `drain`.
    package var hasOutputs: Bool { !world.outbox.isEmpty }

    /// Empties the world's outbox.
    package mutating func drain(_ handle: (Host.Output, inout PacketPool) -> Void) {
        for case .client(_, let output) in world.outbox { handle(output, &world.pool) }
        world.outbox.clear()
    }
}
