import Bluetooth
import Collector
import Documents
import EventLog
import FoundationEssentials
import LEHost
import Scenarios
import Simulation
import Spelling
import Synchronization
import Testing
import VirtualWorld

@testable import Reporting

/// A scenario, played with the built-in client in it, and everything that was logged.
struct Stage {
    /// What the client said, and when.
    struct Said {
        let at: Instant
        let saying: SensorCollector.Saying
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

    /// Plays a scenario to its limit; without its log and trace as text, unless it `isWorded`.
    init(
        _ scenario: Scenario, seed: UInt64 = 1, sleeps: Bool = true, isJudged: Bool = false, isWorded: Bool = true,
        settings: SensorCollector.Settings = .init()
    ) throws {
        world = try World(scenario, seed: seed, sleeps: sleeps)
        node = try world.addClient(at: .start)
        limit = Instant.start.advanced(by: scenario.limit)
        collector = SensorCollector(settings)
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
        if isJudged { world.judgeExpectations() }
        play()
        world.endJudging()
        world.journal.flush()
        world.packets.flush()
    }

    /// What the client's controller is called.
    var clientAddress: DeviceAddress { DeviceAddress(0x0200_0000_0000 | UInt64(node + 1), .public) }
    /// What happened, in order; without what the client said.
    var records: [EventRecord] { recording.records.withLock { $0 } }
    /// The event log, line by line.
    var lines: [String] { recording.log.withLock { $0.string }.split(separator: "\n").map(String.init) }
    /// The trace, as it would be written.
    var trace: [UInt8] { recording.trace.withLock { $0 } }

    func records(_ event: EventName, of thing: String? = nil) -> [EventRecord] {
        records.filter { $0.event == event && (thing == nil || $0.thing == thing) }
    }

    /// The client leaves in good order, and nobody comes back.
    mutating func end() {
        limit = limit.advanced(by: .seconds(10))
        collector.stop(at: world.now, into: &outbox)
        goOnToLimit()
    }

    private mutating func play() {
        world.start()
        collector.start(at: world.now, into: &outbox)
        goOnToLimit()
    }

    private mutating func goOnToLimit() {
        repeat { settle() } while goOn()
        world.run(until: limit)
    }

    private mutating func goOn() -> Bool {
        let (due, wake) = (world.nextDue ?? .never, wakes.min() ?? .never)
        guard min(due, wake) <= limit else { return false }
        guard wake < due else { return world.runNext(until: limit) }
        world.run(until: wake)
        wakes.removeAll { $0 <= wake }
        collector.timePassed(at: world.now, into: &outbox)
        return true
    }

    private mutating func settle() {
        while !outbox.isEmpty || !world.outbox.isEmpty {
            let wanted = outbox
            outbox.removeAll()
            for output in wanted {
                switch output {
                case .command(let command): world.command(command, of: node)
                case .wake(let due): wakes.append(due)
                case .said(let saying):
                    said.append(Said(at: world.now, saying: saying))
                    world.clientSaid(saying)
                }
            }
            let heard = world.outbox
            world.outbox.removeAll()
            for case .client(_, let output) in heard {
                collector.step(output, at: world.now, pool: &world.pool, into: &outbox)
            }
        }
    }
}

/// A scenario of this file, or of the repository when it begins with `scenarios/`.
struct Play: Sendable, CustomTestStringConvertible {
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

    /// The scenarios in a folder of the repository.
    static func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? [])
            .filter { $0.hasSuffix(".json") }.sorted().map { "\(folder)/\($0)" }
    }

    private static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

    private static func octets(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(root)/\(path)").map { Array($0) }
    }
}
