import Basics
import Bluetooth
import Clients
import Documents
import Expectations
import FoundationEssentials
import LEHost
import ScenarioLanguage
import ScenarioModel
import Synchronization
import Testing
import VirtualWorld

@testable import Conformance

/// A scenario, played with the built-in client in it, and everything that was logged.
struct WorldHarness {
    /// The client's updates, and when.
    struct Said {
        let at: Instant
        let update: SensorCollector.Update
    }

    private final class Recording: Sendable {
        let records = Mutex<[EventRecord]>([])
        let log = Mutex(JSONText())
        let trace = Mutex<[UInt8]>(Btsnoop.header)
    }

    private(set) var said: [Said] = []
    private let recording = Recording()
    private var limit: Instant
    private var host: FaultyHost<WorldCentralHost>
    private var client: BuiltInClient
    private var wakes: [Instant] = []

    /// Plays a scenario to its limit; without its log and trace as text, unless it `isWorded`.
    init(
        _ scenario: Scenario, seed: UInt64 = 1, sleeps: Bool = true, isJudged: Bool = false,
        on terms: Judge.Terms = Judge.Terms(), isWorded: Bool = true,
        settings: SensorCollector.Settings = .init(), client faulty: FaultyClient? = nil
    ) throws {
        let world = try World(scenario, seed: seed, sleeps: sleeps)
        host = FaultyHost(try WorldCentralHost(in: world), faulty)
        host.base.world.bondDevices(withClient: host.base.node)
        limit = Instant.start.advanced(by: scenario.limit)
        var settings = settings
        if let target = scenario.target { settings.choice = .address(scenario.devices[target].address) }
        faulty?.configure(&settings, node: host.base.node, in: &host.base.world)
        client = BuiltInClient(settings)
        let (recording, wording, snoop) = (recording, world.wording, Btsnoop(epoch: .zero))
        host.base.world.journal = EventJournal { chunk in
            recording.records.withLock { $0 += chunk.records(where: { _ in true }, in: wording) }
            if isWorded { recording.log.withLock { chunk.write(in: wording, to: &$0) } }
        }
        if isWorded {
            host.base.world.packets = PacketLog { chunk in
                recording.trace.withLock { trace in
                    for record in chunk.records { snoop.append(record, chunk.octets(of: record), to: &trace) }
                }
            }
        }
        if isJudged { host.base.world.judgeExpectations(on: terms) }
        play()
        host.base.world.report(.ended)
        host.base.world.journal.flush()
        host.base.world.packets.flush()
    }

    private(set) var world: World {
        _read { yield host.base.world }
        _modify { yield &host.base.world }
    }
    private var node: Int { host.base.node }

    /// The address of the client's controller.
    var clientAddress: DeviceAddress { DeviceAddress(0x0200_0000_0000 | UInt64(node + 1), .public) }
    /// The events in order, without the client's lines.
    var records: [EventRecord] { recording.records.withLock { $0 } }
    /// The event log, line by line.
    var lines: [String] { recording.log.withLock { $0.string }.split(separator: "\n").map(String.init) }
    /// The trace, as it would be written.
    var trace: [UInt8] { recording.trace.withLock { $0 } }

    func records(_ event: EventName, of entity: String? = nil) -> [EventRecord] {
        records.filter { $0.event == event && (entity == nil || $0.entity == entity) }
    }

    /// Disconnects the client for good.
    mutating func end() {
        limit = limit.advanced(by: .seconds(10))
        client.stop(at: world.now)
        goOnToLimit()
    }

    private mutating func play() {
        world.start()
        world.exchangeOutOfBand(withClient: node)
        client.start(at: world.now)
        goOnToLimit()
    }

    private mutating func goOnToLimit() {
        repeat { settle() } while goOn()
        world.run(until: limit)
    }

    private mutating func goOn() -> Bool {
        let (due, wake) = (world.nextDue ?? .never, min(wakes.min() ?? .never, host.nextRepetition))
        guard min(due, wake) <= limit else { return false }
        guard wake < due else { return world.runNext(until: limit) }
        world.run(until: wake)
        wakes.removeAll { $0 <= wake }
        client.timePassed(at: world.now)
        return true
    }

    private mutating func settle() {
        let now = world.now
        var (updates, requested) = ([SensorCollector.Update](), [Instant]())
        func show(_ update: SensorCollector.Update, _ host: inout FaultyHost<WorldCentralHost>) {
            updates.append(update)
            host.base.world.clientReported(update)
        }
        host.showAgain(at: now, show)
        repeat {
            client.settle(with: &host, at: now) { event, host in
                switch event {
                case .wake(let due): requested.append(due)
                case .update(let update): host.show(update, at: now, show)
                }
            }
            let hasCrashed = host.takeCrash()
            if hasCrashed { client.stop(at: now) }
        } while client.hasRequests
        said += updates.map { Said(at: now, update: $0) }
        wakes += requested
    }
}

/// A scenario of this file, or of the repository when it begins with `scenarios/`.
struct TestScenario: Sendable, CustomTestStringConvertible {
    let name: String
    private let text: String?

    init(_ path: String) { (name, text) = (path, nil) }
    init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }

    var testDescription: String { name }

    var scenario: Scenario {
        get throws {
            let reading = ScenarioFile.read(name) { _ in text.map { Array($0.utf8) } ?? Self.octets(name) }
            #expect(reading.problems.map(\.description) == [])
            return try #require(reading.scenario)
        }
    }

    /// The JSON files in `scenarios`.
    static let paths = ((try? FileManager.default.subpathsOfDirectory(atPath: "\(root)/scenarios")) ?? [])
        .filter { $0.hasSuffix(".json") }.sorted().map { "scenarios/\($0)" }

    private static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

    static func octets(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(root)/\(path)").map { Array($0) }
    }
}
