public import GATT
public import LEHost
public import Octets
import Simulation

/// The host of a client in a simulated world.
public struct WorldCentralHost: CentralHost, Sendable {
    /// The world, with the client in it.
    public var world: World
    /// The client.
    public let node: Int

    /// Adds a client to a world that has not started.
    ///
    /// - Throws: `AttributeTable.DefinitionError` if the client's attributes do not fit into its table.
    public init(in world: World) throws(AttributeTable.DefinitionError) {
        self.world = world
        node = try self.world.addClient(at: .start)
    }

    /// The world's.
    public var pool: PacketPool {
        get { world.pool }
        _modify { yield &world.pool }
    }

    /// Performs a command at the world's present.
    public mutating func perform(_ command: Host.Command) { world.command(command, of: node) }

    /// Empties the world's outbox.
    public mutating func drain(into outputs: inout [Host.Output]) {
        for case .client(_, let output) in world.outbox { outputs.append(output) }
        world.outbox.removeAll(keepingCapacity: true)
    }
}
