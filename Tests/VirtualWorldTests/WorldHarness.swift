import Bluetooth
import Collector
import Documents
import EventLog
import Expectations
import FoundationEssentials
import LEHost
import Octets
import ScenarioLanguage
import Scenarios
import Simulation
import Synchronization
import Testing
import TextFormatting
import VirtualWorld

@testable import Reporting

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

    private(set) var world: World
    private(set) var said: [Said] = []
    private let recording = Recording()
    private var limit: Instant
    private let node: Int
    private var collector: SensorCollector
    private var outbox: [SensorCollector.Output] = []
    private var wakes: [Instant] = []
    private var flaw: Flaw?

    /// Plays a scenario to its limit; without its log and trace as text, unless it `isWorded`.
    init(
        _ scenario: Scenario, seed: UInt64 = 1, sleeps: Bool = true, isJudged: Bool = false,
        on terms: Judge.Terms = Judge.Terms(), isWorded: Bool = true,
        settings: SensorCollector.Settings = .init(), client: FaultyClient? = nil
    ) throws {
        world = try World(scenario, seed: seed, sleeps: sleeps)
        node = try world.addClient(at: .start)
        world.bondDevices(withClient: node)
        limit = Instant.start.advanced(by: scenario.limit)
        var settings = settings
        if let target = scenario.target { settings.choice = .address(scenario.devices[target].address) }
        if let client {
            client.sets(&settings)
            world.clientMutation = client.mutation
            if var security = world.securitySettings(of: node) {
                client.security(&security)
                world.command(.changeSecurity(security), of: node)
            }
        }
        collector = SensorCollector(settings)
        flaw = client.map(Flaw.init)
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
        play()
        world.endJudging()
        world.journal.flush()
        world.packets.flush()
    }

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
        collector.stop(at: world.now, into: &outbox)
        goOnToLimit()
    }

    private mutating func play() {
        world.start()
        world.exchangeOutOfBand(withClient: node)
        collector.start(at: world.now, into: &outbox)
        goOnToLimit()
    }

    private mutating func goOnToLimit() {
        repeat { settle() } while goOn()
        world.run(until: limit)
    }

    private mutating func goOn() -> Bool {
        let (due, wake) = (world.nextDue ?? .never, min(wakes.min() ?? .never, flaw?.nextShown ?? .never))
        guard min(due, wake) <= limit else { return false }
        guard wake < due else { return world.runNext(until: limit) }
        world.run(until: wake)
        wakes.removeAll { $0 <= wake }
        collector.timePassed(at: world.now, into: &outbox)
        if let update = flaw?.showsAgain(at: world.now) { show(update) }
        return true
    }

    private mutating func settle() {
        while !outbox.isEmpty || !world.outbox.isEmpty {
            let wanted = outbox
            outbox.removeAll()
            for output in wanted {
                switch output {
                case .command(let command): ask(command)
                case .wake(let due): wakes.append(due)
                case .update(let update): show(update)
                }
            }
            let heard = world.outbox
            world.outbox.removeAll()
            for case .client(_, let output) in heard { report(output) }
            if flaw?.hasEnded == true { collector.stop(at: world.now, into: &outbox) }
        }
    }

    private mutating func ask(_ command: Host.Command) {
        guard let operations = flaw?.commands(command) else { return world.command(command, of: node) }
        for command in operations.commands { world.command(command, of: node) }
        for output in operations.told { step(output) }
    }

    private mutating func show(_ update: SensorCollector.Update) {
        for content in flaw?.shows(update, at: world.now) ?? [update.content] where flaw?.hasEnded != true {
            let update = SensorCollector.Update(content, of: update.peer)
            said.append(Said(at: world.now, update: update))
            world.clientReported(update)
        }
    }

    private mutating func report(_ output: Host.Output) {
        switch flaw == nil ? output : flaw?.told(output) {
        case .notified(let id, let handle, let packet)?:
            tellValue(packet, at: handle) { .notified(id, handle: handle, $0) }
        case .indicated(let id, let handle, let packet)?:
            tellValue(packet, at: handle) { .indicated(id, handle: handle, $0) }
        case let output?: step(output)
        case nil: break
        }
    }

    private mutating func tellValue(_ packet: Packet, at handle: UInt16, as output: (Packet) -> Host.Output) {
        guard let operations = flaw?.values(world.pool.octets(of: packet), at: handle) else {
            return step(output(packet))
        }
        world.pool.release(packet)
        for octets in operations.values { step(output(world.pool.take(octets))) }
        for command in operations.commands { world.command(command, of: node) }
    }

    private mutating func step(_ output: Host.Output) {
        collector.step(output, at: world.now, pool: &world.pool, into: &outbox)
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
