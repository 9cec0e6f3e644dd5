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
    private var session: Session<AttachedClient>
    /// The address of the client's controller.
    let clientAddress: DeviceAddress

    /// Plays a scenario to its limit; without its log and trace as text, unless it `isWorded`.
    init(
        _ scenario: Scenario, seed: UInt64 = 1, sleeps: Bool = true, isJudged: Bool = false,
        on terms: Judge.Terms = Judge.Terms(), isWorded: Bool = true,
        settings: SensorCollector.Settings = .init(), client faulty: FaultyClient? = nil
    ) throws {
        var world = try World(scenario, seed: seed, sleeps: sleeps)
        limit = Instant.start.advanced(by: scenario.limit)
        var settings = settings
        if let target = scenario.target { settings.choice = .address(scenario.devices[target].address) }
        let client = try AttachedClient(settings, faulty, in: &world)
        clientAddress = DeviceAddress(0x0200_0000_0000 | UInt64((world.central ?? 0) + 1), .public)
        let (recording, wording, snoop) = (recording, world.wording, Btsnoop(epoch: .zero))
        world.journal = EventJournal { chunk in
            recording.records.withLock { $0 += chunk.records(where: { _ in true }, in: wording) }
            if isWorded { recording.log.withLock { chunk.write(in: wording, to: &$0) } }
        }
        if isWorded {
            world.packets = PacketLog { chunk in
                recording.trace.withLock { trace in
                    for record in chunk.records { snoop.append(record, chunk.octets(of: record), to: &trace) }
                }
            }
        }
        if isJudged { world.judgeExpectations(on: terms) }
        session = Session(world, client)
        session.begin()
        goOnToLimit()
        session.world.report(.ended)
        session.world.journal.flush()
        session.world.packets.flush()
    }

    private(set) var world: World {
        _read { yield session.world }
        _modify { yield &session.world }
    }
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
        session.attached.stop(in: &session.world)
        goOnToLimit()
    }

    private mutating func goOnToLimit() {
        settle()
        while session.advance(until: limit) {
            settle()
            session.world.report(.timePassed)
        }
        world.run(until: limit)
    }

    private mutating func settle() {
        session.settle()
        while let update = session.attached.updates.takeFirst() { said.append(Said(at: world.now, update: update)) }
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
