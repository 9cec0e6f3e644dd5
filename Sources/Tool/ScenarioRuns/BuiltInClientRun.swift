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
import Services
package import Simulation
package import VirtualWorld

/// A scenario with the built-in client, in virtual time.
package struct BuiltInClientRun: Sendable {
    /// Receives the client's updates.
    package typealias Listener = (Instant, SensorCollector.Update) -> Void

    package var world: World
    /// The number of sensor values that the client reported: heart rates, temperatures, counts, samples.
    package private(set) var measurements = 0
    package let limit: Instant
    /// The timeline of the finished run, if a report shows it.
    package var timeline: CaseTimeline?
    private let files: LogFiles?
    private let node: Int
    private var collector: SensorCollector
    private var outbox: [SensorCollector.Output] = []
    private var wakes: [Instant] = []  // few: the collector requests one at a time
    private var hasBegun = false

    package init(_ configuration: RunConfiguration) throws(CommandFailure) {
        try self.init(configuration, in: try configuration.world(), nil)
    }

    /// Adds the client to a world that logs to `files`.
    package init(_ configuration: RunConfiguration, in world: World, _ files: LogFiles?) throws(CommandFailure) {
        self.files = files
        limit = Instant.start.advanced(by: configuration.scenario.limit)
        collector = SensorCollector(.init(toPlay: configuration.scenario))
        var world = world
        node = try orFail(.internalError, "cannot add the client: ") { try world.addClient(at: .start) }
        self.world = world
    }

    /// Plays to the scenario's limit, or until `isOver` or all expectations are decided.
    package mutating func play(_ report: Listener, unless isOver: () -> Bool = { false }) {
        begin()
        settle(report)
        while !isOver(), !world.isDecided {
            guard playNext(until: limit, report) else { return world.run(until: limit) }
        }
    }

    /// Plays until the client reports matching content, or to the limit. Returns whether it did.
    package mutating func play(until matches: (SensorCollector.Content) -> Bool) -> Bool {
        begin()
        var hasMatched = false
        repeat {
            settle { _, update in hasMatched = hasMatched || matches(update.content) }
        } while !hasMatched && advance(until: limit)
        return hasMatched
    }

    /// Removes notifications before the client receives them. Returns how many have `length` octets.
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

    /// When the next event is due; `.never` when none is.
    package var nextDue: Instant { mutating get { min(world.nextDue ?? .never, wakes.min() ?? .never) } }

    /// Plays the next instant, if it is not after `instant`. Returns false if there is none.
    mutating func playNext(until instant: Instant, _ report: Listener) -> Bool {
        guard advance(until: instant) else { return false }
        settle(report)
        world.judgeTime()
        return true
    }

    /// Starts the devices and the client, once.
    package mutating func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        world.start()
        collector.start(at: world.now, into: &outbox)
    }

    private mutating func advance(until instant: Instant) -> Bool {
        let (due, wake) = (world.nextDue ?? .never, wakes.min() ?? .never)
        guard min(due, wake) <= instant, min(due, wake) != .never else { return false }
        guard wake < due else { return world.runNext(until: instant) }
        world.run(until: wake)
        wakes.removeAll { $0 <= wake }
        collector.timePassed(at: world.now, into: &outbox)
        return true
    }

    /// Exchanges messages between world and client until there are none.
    package mutating func settle(_ report: Listener) {
        files?.narrate(&world)
        while !outbox.isEmpty || !world.outbox.isEmpty {
            let outputs = outbox
            outbox.removeAll(keepingCapacity: true)
            for output in outputs {
                switch output {
                case .command(let command): world.command(command, of: node)
                case .wake(let due): wakes.append(due)
                case .update(let update):
                    switch update.content {
                    case .heartRate: measurements += 1
                    case .value(let value) where value.isMeasurement: measurements += 1
                    case .ecg(let tally), .measurementTally(let tally, _): measurements += Int(tally.samples)
                    default: break
                    }
                    world.clientReported(update)
                    report(world.now, update)
                }
            }
            let received = world.outbox
            world.outbox.removeAll(keepingCapacity: true)
            for case .client(_, let output) in received {
                collector.step(output, at: world.now, pool: &world.pool, into: &outbox)
            }
        }
        files?.narrate(&world)
    }
}

extension SensorCollector.Settings {
    /// The settings of a client for a scenario: it connects only to the target, if there is one.
    package init(toPlay scenario: Scenario) {
        self.init(choice: scenario.target.map { .address(scenario.devices[$0].address) } ?? .strongest)
    }
}
