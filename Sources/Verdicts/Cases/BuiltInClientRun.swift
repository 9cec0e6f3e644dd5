package import Basics
import Characteristics
package import Clients
package import Conformance
import Devices
import GATT
package import ScenarioModel
import Services
package import VirtualWorld

/// A scenario with the built-in client, in virtual time or at the pace of a clock.
package struct BuiltInClientRun: Sendable {
    /// Receives the client's updates.
    package typealias Listener = (Instant, SensorCollector.Update) -> Void

    private var session: Session<AttachedClient>
    /// The number of sensor values that the client reported: heart rates, temperatures, counts, samples.
    package private(set) var measurements = 0
    package let limit: Instant
    /// The timeline of the finished run, if a report shows it.
    package var timeline: CaseTimeline?
    private let files: LogFiles?

    package init(_ plan: RunPlan) throws(Obstacle) {
        try self.init(plan, in: try plan.world(), nil)
    }

    /// Adds the client to a world that logs to `files`.
    package init(_ plan: RunPlan, in world: World, _ files: LogFiles?) throws(Obstacle) {
        self.files = files
        limit = Instant.start.advanced(by: plan.scenario.limit)
        var world = world
        let client = try orFail(.internalError, "cannot add the client: ") {
            try AttachedClient(SensorCollector.Settings(toPlay: plan.scenario), plan.faultyClient, in: &world)
        }
        session = Session(world, client)
    }

    /// The world's present; reading it through `world` would allocate.
    package var now: Instant { session.world.now }

    package var world: World {
        _read { yield session.world }
        _modify { yield &session.world }
    }

    /// Plays to the scenario's limit, or until all expectations are decided, or `pacer` ends the run.
    package mutating func play(at pacer: inout Pacer, _ report: Listener) {
        begin(report)
        while !session.world.isDecided, pacer.wait(until: min(session.deadline, limit), &session.world) {
            guard playNext(until: limit, report) else { return session.world.run(until: limit) }
        }
    }

    /// Plays to the scenario's limit, or until all expectations are decided, without a pause.
    package mutating func play(_ report: Listener = { _, _ in }) {
        begin(report)
        while !session.world.isDecided, playNext(until: limit, report) {}
        if !session.world.isDecided { session.world.run(until: limit) }
    }

    /// Plays until the client reports matching content, or to the limit. Returns whether it did.
    package mutating func play(until matches: (SensorCollector.Content) -> Bool) -> Bool {
        var hasMatched = false
        func look(_: Instant, _ update: SensorCollector.Update) { hasMatched = hasMatched || matches(update.content) }
        begin(look)
        while !hasMatched, session.advance(until: limit) { settle(look) }
        return hasMatched
    }

    /// Plays the next instant, if it is not after `instant`. Returns false if there is none.
    package mutating func playNext(until instant: Instant, _ report: Listener) -> Bool {
        guard session.advance(until: instant) else { return false }
        settle(report)
        session.world.report(.timePassed)
        return true
    }

    /// Starts the devices and the client, once, and lets them act.
    package mutating func begin(_ report: Listener) {
        session.begin()
        settle(report)
    }

    /// Exchanges messages between world and client until there are none.
    package mutating func settle(_ report: Listener) {
        files?.inform(&session.world)
        session.settle()
        while let update = session.attached.updates.takeFirst() {
            measurements += update.content.measurements
            report(session.world.now, update)
        }
        files?.inform(&session.world)
    }
}

extension SensorCollector.Content {
    /// The number of sensor values in an update.
    fileprivate var measurements: Int {
        switch self {
        case .heartRate: 1
        case .value(let value): value.isMeasurement ? 1 : 0
        case .advertised: 1
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
