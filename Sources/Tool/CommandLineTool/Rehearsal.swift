import Arguments
import Characteristics
import Collector
import Conformance
import EventLog
import GATT
import LEHost
import Octets
import Scenarios
import Services
import Simulation
import VirtualWorld

/// A scenario with the built-in client in it; it passes no time by itself.
struct Rehearsal: Sendable {
    /// Takes what the client says.
    typealias Listener = (Instant, SensorCollector.Saying) -> Void

    var world: World
    /// How many values of sensors the client has taken in: heart rates, temperatures, counts, samples.
    private(set) var measurements = 0
    /// The end of the scenario.
    let limit: Instant
    /// What happened, once it is over, if a report is to show it.
    var chronicle: Chronicle?
    private let files: LogFiles?
    private let node: Int
    private var collector: SensorCollector
    private var outbox: [SensorCollector.Output] = []
    private var wakes: [Instant] = []  // few: the collector asks for one at a time
    private var hasBegun = false

    /// One that keeps no log.
    init(_ played: Played) throws(CommandFailure) { try self.init(played, in: try played.world(), nil) }

    /// Adds the client to a world whose log goes into `files`.
    init(_ played: Played, in world: World, _ files: LogFiles?) throws(CommandFailure) {
        (self.world, self.files) = (world, files)
        limit = Instant.start.advanced(by: played.scenario.limit)
        collector = SensorCollector(.init(toPlay: played.scenario))
        do throws(AttributeTable.DefinitionError) { node = try self.world.addClient(at: .start) } catch {
            throw CommandFailure(.inner, "lubdub: the client has no room for its attributes: \(error)")
        }
    }

    /// Plays to the scenario's limit in virtual time, unless it is over or decided before; tells what the client says.
    mutating func play(_ tell: Listener, unless isOver: () -> Bool = { false }) {
        begin()
        settle(tell)
        while !isOver(), !world.isDecided {
            guard playNext(until: limit, tell) else { return world.run(until: limit) }
        }
    }

    /// Plays until the client says such a thing, or to the limit: whether it was said.
    mutating func play(until isMeant: (SensorCollector.Content) -> Bool) -> Bool {
        begin()
        var isSaid = false
        repeat {
            settle { _, saying in isSaid = isSaid || isMeant(saying.content) }
        } while !isSaid && goOn(until: limit)
        return isSaid
    }

    /// Takes the client's notifications before it sees them: how many there are of so many octets.
    mutating func takeNotifications(of length: Int) -> Int {
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
    var nextDue: Instant { mutating get { min(world.nextDue ?? .never, wakes.min() ?? .never) } }

    /// Plays what is due at the next instant, if that is not after `instant`: false if there is nothing.
    mutating func playNext(until instant: Instant, _ tell: Listener) -> Bool {
        guard goOn(until: instant) else { return false }
        settle(tell)
        world.judgeTime()
        return true
    }

    /// Switches the devices and the client on, once.
    mutating func begin() {
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
    mutating func settle(_ tell: Listener) {
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
                    case .heartRate: measurements += 1
                    case .value(let value) where value.isMeasurement: measurements += 1
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
    init(toPlay scenario: Scenario) {
        self.init(choice: scenario.target.map { .address(scenario.devices[$0].address) } ?? .strongest)
    }
}

/// A rehearsal at the pace of an event loop, so that people can watch it.
actor LiveRehearsal {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private var rehearsal: Rehearsal
    private let files: LogFiles
    private let tell: @Sendable (Instant, SensorCollector.Saying) -> Void
    private let ending: Ending
    private var origin = Instant.start  // the loop's time at which the rehearsal began

    init(
        _ rehearsal: Rehearsal, _ files: LogFiles, on loop: EventLoop, _ ending: Ending,
        tell: @escaping @Sendable (Instant, SensorCollector.Saying) -> Void
    ) {
        (self.rehearsal, self.files, self.loop, self.ending, self.tell) = (rehearsal, files, loop, ending, tell)
    }

    func start() {
        origin = loop.now
        rehearsal.begin()
        rehearsal.settle(tell)
        goOn()
    }

    /// The rehearsal as it is now.
    func close() -> Rehearsal { rehearsal }

    /// Plays what is due, and asks to be called when there is more.
    private func goOn() {
        let now = Instant(nanoseconds: loop.now.nanoseconds - origin.nanoseconds)
        while !rehearsal.world.isDecided, rehearsal.playNext(until: min(now, rehearsal.limit), tell) {}
        files.flush(&rehearsal.world)
        if files.readerIsGone { return ending.say(.closed) }
        if now >= rehearsal.limit { rehearsal.world.run(until: rehearsal.limit) }
        guard now < rehearsal.limit, !rehearsal.world.isDecided else { return ending.say(.time) }
        let due = min(rehearsal.nextDue, rehearsal.limit)
        loop.call(at: origin.advanced(by: due.sinceStart)) { self.assumeIsolated { $0.goOn() } }
    }
}
