import Arguments
import Characteristics
package import Collector
package import CommandSupport
package import Conformance
import EventLog
import GATT
import LEHost
import Octets
package import Scenarios
package import Simulation
package import VirtualWorld

/// A scenario with the built-in client in it; it passes no time by itself.
package struct BuiltInClientRun: Sendable {
    /// Takes what the client says.
    package typealias Listener = (Instant, SensorCollector.Saying) -> Void

    package var world: World
    /// How many values of sensors the client has taken in: heart rates, temperatures, counts, samples.
    package private(set) var measurements = 0
    /// The end of the scenario.
    package let limit: Instant
    /// What happened, once it is over, if a report is to show it.
    package var chronicle: Chronicle?
    private let files: LogFiles?
    private let node: Int
    private var collector: SensorCollector
    private var outbox: [SensorCollector.Output] = []
    private var wakes: [Instant] = []  // few: the collector asks for one at a time
    private var hasBegun = false

    /// One that keeps no log.
    package init(_ configuration: RunConfiguration) throws(CommandFailure) {
        try self.init(configuration, in: try configuration.world(), nil)
    }

    /// Adds the client to a world whose log goes into `files`.
    package init(_ configuration: RunConfiguration, in world: World, _ files: LogFiles?) throws(CommandFailure) {
        (self.world, self.files) = (world, files)
        limit = Instant.start.advanced(by: configuration.scenario.limit)
        collector = SensorCollector(.init(toPlay: configuration.scenario))
        do throws(AttributeTable.DefinitionError) { node = try self.world.addClient(at: .start) } catch {
            throw CommandFailure(.inner, "the client has no room for its attributes: \(error)")
        }
    }

    /// Plays to the scenario's limit in virtual time, unless it is over or decided before; tells what the client says.
    package mutating func play(_ tell: Listener, unless isOver: () -> Bool = { false }) {
        begin()
        settle(tell)
        while !isOver(), !world.isDecided {
            guard playNext(until: limit, tell) else { return world.run(until: limit) }
        }
    }

    /// Plays until the client says such a thing, or to the limit: whether it was said.
    package mutating func play(until isMeant: (SensorCollector.Content) -> Bool) -> Bool {
        begin()
        var isSaid = false
        repeat {
            settle { _, saying in isSaid = isSaid || isMeant(saying.content) }
        } while !isSaid && goOn(until: limit)
        return isSaid
    }

    /// Takes the client's notifications before it sees them: how many there are of so many octets.
    package mutating func takeNotifications(of length: Int) -> Int {
        var count = 0
        for index in world.outbox.indices {
            guard case .client(_, .notified(_, _, let packet)) = world.outbox[index] else { continue }
            if packet.count == length { count += 1 }
            world.pool.release(packet)
        }
        world.outbox.removeAll { if case .client(_, .notified) = $0 { true } else { false } }
        return count
    }

    /// When something is to happen next; `.never` when nothing is.
    package var nextDue: Instant { mutating get { min(world.nextDue ?? .never, wakes.min() ?? .never) } }

    /// Plays what is due at the next instant, if that is not after `instant`: false if there is nothing.
    mutating func playNext(until instant: Instant, _ tell: Listener) -> Bool {
        guard goOn(until: instant) else { return false }
        settle(tell)
        world.judgeTime()
        return true
    }

    /// Switches the devices and the client on, once.
    package mutating func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        world.start()
        collector.start(at: world.now, into: &outbox)
    }

    private mutating func goOn(until instant: Instant) -> Bool {
        let (due, wake) = (world.nextDue ?? .never, wakes.min() ?? .never)
        guard min(due, wake) <= instant, min(due, wake) != .never else { return false }
        guard wake < due else { return world.runNext(until: instant) }
        world.run(until: wake)
        wakes.removeAll { $0 <= wake }
        collector.timePassed(at: world.now, into: &outbox)
        return true
    }

    /// Takes messages from the world to the client and back until there are none.
    package mutating func settle(_ tell: Listener) {
        files?.narrate(&world)
        while !outbox.isEmpty || !world.outbox.isEmpty {
            let wanted = outbox
            outbox.removeAll(keepingCapacity: true)
            for output in wanted {
                switch output {
                case .command(let command): world.command(command, of: node)
                case .wake(let due): wakes.append(due)
                case .said(let saying):
                    switch saying.content {
                    case .heartRate, .temperature, .steps, .stepsToday, .feed: measurements += 1
                    case .ecg(let tally), .measurementTally(let tally, _): measurements += Int(tally.samples)
                    default: break
                    }
                    world.clientSaid(saying)
                    tell(world.now, saying)
                }
            }
            let heard = world.outbox
            world.outbox.removeAll(keepingCapacity: true)
            for case .client(_, let output) in heard {
                collector.step(output, at: world.now, pool: &world.pool, into: &outbox)
            }
        }
        files?.narrate(&world)
    }
}

extension SensorCollector.Settings {
    /// Of a client that connects to the scenario's target only, if there is one.
    package init(toPlay scenario: Scenario) {
        self.init(choice: scenario.target.map { .address(scenario.devices[$0].address) } ?? .strongest)
    }
}
