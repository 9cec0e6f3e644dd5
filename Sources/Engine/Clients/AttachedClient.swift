package import Basics
package import GATT
package import VirtualWorld

/// The built-in client in a world.
package struct AttachedClient: Participant {
    private var client: BuiltInClient
    private let node: Int
    private var wakes: [Instant] = []  // few: the client requests one at a time
    /// The updates that the client has shown; the owner empties it.
    package var updates = OutputQueue<SensorCollector.Update>()

    /// Adds a client to a world that has not started; without a `fault`, it is correct.
    ///
    /// - Throws: Nothing in practice: the client's host has no services.
    package init(
        _ settings: SensorCollector.Settings, _ fault: FaultyClient? = nil, in world: inout World
    ) throws(AttributeTable.DefinitionError) {
        node = try world.addClient(at: .start)
        world.bondDevices(withClient: node)
        var settings = settings
        fault?.configure(&settings, node: node, in: &world)
        client = BuiltInClient(settings, fault)
    }

    package var deadline: Instant { min(wakes.min() ?? .never, client.nextRepetition) }

    package mutating func begin(in world: inout World) {
        world.exchangeOutOfBand(withClient: node)
        client.start(at: world.now)
    }

    package mutating func timePassed(in world: inout World) {
        let now = world.now
        wakes.removeAll { $0 <= now }
        client.timePassed(at: now)
    }

    /// Ends the connection for good.
    package mutating func stop(in world: inout World) { client.stop(at: world.now) }

    package mutating func settle(in world: inout World) {
        let now = world.now
        // Most instants are the radio's alone.
        guard !world.outbox.isEmpty || client.hasWork(at: now) else { return }
        var (requested, shown) = ([Instant](), OutputQueue<SensorCollector.Update>())
        swap(&requested, &wakes)  // the storage is used again
        swap(&shown, &updates)
        client.settle(with: &world, at: now) { event, world in
            switch event {
            case .wake(let due): requested.append(due)
            case .update(let update):
                world.clientReported(update)
                shown.added.append(update)
            }
        }
        swap(&requested, &wakes)
        swap(&shown, &updates)
    }
}
