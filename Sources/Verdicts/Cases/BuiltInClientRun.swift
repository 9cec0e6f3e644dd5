package import Basics
import Characteristics
package import Clients
package import Conformance
import Devices
import GATT
import LEHost
package import ScenarioModel
import Services
package import VirtualWorld

/// A scenario with the built-in client, in virtual time.
package struct BuiltInClientRun: Sendable {
    /// Receives the client's updates.
    package typealias Listener = (Instant, SensorCollector.Update) -> Void

    private var host: FaultyHost<WorldCentralHost>
    /// The number of sensor values that the client reported: heart rates, temperatures, counts, samples.
    package private(set) var measurements = 0
    package let limit: Instant
    /// The timeline of the finished run, if a report shows it.
    package var timeline: CaseTimeline?
    private let files: LogFiles?
    private var client: BuiltInClient
    private var wakes: [Instant] = []  // few: the client requests one at a time
    private var hasBegun = false

    package init(_ plan: RunPlan) throws(Obstacle) {
        try self.init(plan, in: try plan.world(), nil)
    }

    /// Adds the client to a world that logs to `files`.
    package init(_ plan: RunPlan, in world: World, _ files: LogFiles?) throws(Obstacle) {
        self.files = files
        limit = Instant.start.advanced(by: plan.scenario.limit)
        let central = try orFail(.internalError, "cannot add the client: ") { try WorldCentralHost(in: world) }
        host = FaultyHost(central, plan.faultyClient)
        host.base.world.bondDevices(withClient: host.base.node)
        var settings = SensorCollector.Settings(toPlay: plan.scenario)
        plan.faultyClient?.configure(&settings, node: host.base.node, in: &host.base.world)
        client = BuiltInClient(settings)
    }

    /// The world's present; reading it through `world` would allocate.
    package var now: Instant { host.base.world.now }

    package var world: World {
        _read { yield host.base.world }
        _modify { yield &host.base.world }
    }

    /// Plays to the scenario's limit, or until `isOver` or all expectations are decided.
    package mutating func play(_ report: Listener, unless isOver: (Instant) -> Bool = { _ in false }) {
        begin()
        settle(report)
        while !isOver(host.base.world.now), !host.base.world.isDecided {
            guard playNext(until: limit, report) else { return host.base.world.run(until: limit) }
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

    /// When the next event is due; `.never` when none is.
    package var nextDue: Instant { mutating get { min(host.base.world.nextDue ?? .never, nextWake) } }

    /// When the client is next due.
    private var nextWake: Instant { min(wakes.min() ?? .never, host.nextRepetition) }

    /// Plays the next instant, if it is not after `instant`. Returns false if there is none.
    package mutating func playNext(until instant: Instant, _ report: Listener) -> Bool {
        guard advance(until: instant) else { return false }
        settle(report)
        host.base.world.report(.timePassed)
        return true
    }

    /// Starts the devices and the client, once.
    package mutating func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        host.base.world.start()
        host.base.world.exchangeOutOfBand(withClient: host.base.node)
        client.start(at: host.base.world.now)
    }

    private mutating func advance(until instant: Instant) -> Bool {
        let (due, wake) = (host.base.world.nextDue ?? .never, nextWake)
        guard min(due, wake) <= instant, min(due, wake) != .never else { return false }
        guard wake < due else { return host.base.world.runNext(until: instant) }
        host.base.world.run(until: wake)
        wakes.removeAll { $0 <= wake }
        client.timePassed(at: host.base.world.now)
        return true
    }

    /// Exchanges messages between world and client until there are none.
    package mutating func settle(_ report: Listener) {
        files?.inform(&host.base.world)
        // Most instants are the radio's alone.
        if !client.hasRequests, !host.base.hasOutputs, !host.hasAssumptions, host.nextRepetition > now { return }
        var (measured, requested) = (0, [Instant]())
        let now = now
        host.showAgain(at: now) { update, host in
            measured += Self.show(update, &host.base.world, report)
        }
        repeat {
            client.settle(with: &host, at: now) { event, host in
                switch event {
                case .wake(let due): requested.append(due)
                case .update(let update):
                    host.show(update, at: now) { update, host in
                        measured += Self.show(update, &host.base.world, report)
                    }
                }
            }
            let hasCrashed = host.takeCrash()
            if hasCrashed { client.stop(at: now) }
        } while client.hasRequests
        measurements += measured
        if !requested.isEmpty { wakes += requested }
        files?.inform(&host.base.world)
    }

    /// Reports an update; returns the number of sensor values in it.
    private static func show(_ update: SensorCollector.Update, _ world: inout World, _ report: Listener) -> Int {
        world.clientReported(update)
        report(world.now, update)
        return update.content.measurements
    }
}

extension SensorCollector.Content {
    /// The number of sensor values in an update.
    fileprivate var measurements: Int {
        switch self {
        case .heartRate: 1
        case .value(let value): value.isMeasurement ? 1 : 0
        case .surveyed: 1
        case .ecg(let tally), .measurementTally(let tally, _): Int(tally.samples)
        default: 0
        }
    }
}

extension SensorCollector.Settings {
    /// The settings of a client for a scenario: it connects only to the target, if there is one, and to any device if none
    /// has a service that it knows.
    package init(toPlay scenario: Scenario) {
        let target = scenario.target.map { scenario.devices[$0] }
        self.init(choice: target.map { $0.hasPrivacy ? .name($0.name) : .address($0.address) } ?? .strongest)
        let peripherals = scenario.devices.filter { $0.role == .peripheral }
        if !peripherals.flatMap(\.services).contains(where: { services.contains($0.uuid) }) { services = [] }
    }
}
