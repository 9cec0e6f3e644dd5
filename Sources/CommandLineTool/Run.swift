import Arguments
import Collector
import EventLog
import GATT
import LEHost
import Octets
import Scenarios
import Simulation
import VirtualWorld

let runGrammar = Arguments.Grammar(
    "run", "play a scenario to the built-in client, in virtual time",
    operands: [.required("SCENARIO", "a scenario file")],
    options: scenarioOptions + [.flag("--quiet", "do not print what the client shows")])

func run(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let played = try Played(invocation.operands.first ?? "", invocation)
    var rehearsal = try Rehearsal(played)
    let files = try LogFiles(played, &rehearsal.world)
    let isQuiet = invocation.has("--quiet")
    rehearsal.play { instant, saying in
        if !isQuiet { Console.print("\(instant)  \(saying.text)") }
    }
    for rule in rehearsal.world.runaways {
        Console.complain("lubdub: rule \(rule + 1) of the script began without end at one instant, and was cut off")
    }
    let code: ExitCode = rehearsal.measurements > 0 ? .success : .failure
    try files.close(&rehearsal.world, status: code.status)
    Console.print("\(rehearsal.measurements) measurements in \(played.scenario.limit) of virtual time")
    return code
}

/// A scenario with the built-in client in it, in virtual time.
struct Rehearsal {
    var world: World
    /// How many heart-rate measurements the client has taken in.
    private(set) var measurements = 0
    private let limit: Instant
    private let node: Int
    private var collector = HeartRateCollector()
    private var outbox: [HeartRateCollector.Output] = []
    private var wakes: [Instant] = []  // few: the collector asks for one at a time
    private var hasBegun = false

    init(_ played: Played) throws(CommandFailure) {
        limit = Instant.start.advanced(by: played.scenario.limit)
        do throws(AttributeTable.DefinitionError) {
            world = try World(played.scenario, seed: played.seed)
            node = try world.addClient(at: .start)
        } catch {
            throw CommandFailure(.usage, "\(played.path): its services have no room for their attributes: \(error)")
        }
    }

    /// Plays to the scenario's limit, and tells what the client says.
    mutating func play(_ tell: (Instant, HeartRateCollector.Saying) -> Void) {
        begin()
        repeat { settle(tell) } while goOn()
        world.run(until: limit)
    }

    /// Plays until the client says such a thing, or to the limit: whether it was said.
    mutating func play(until isMeant: (HeartRateCollector.Content) -> Bool) -> Bool {
        begin()
        var isSaid = false
        repeat { settle { _, saying in isSaid = isSaid || isMeant(saying.content) } } while !isSaid && goOn()
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

    private mutating func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        world.start()
        collector.start(at: world.now, into: &outbox)
    }

    /// Whether something happened before the limit.
    private mutating func goOn() -> Bool {
        let (due, wake) = (world.nextDue ?? .never, wakes.min() ?? .never)
        guard min(due, wake) <= limit, min(due, wake) != .never else { return false }
        guard wake < due else { return world.runNext(until: limit) }
        world.run(until: wake)
        wakes.removeAll { $0 <= wake }
        collector.timePassed(at: world.now, into: &outbox)
        return true
    }

    /// Takes messages from the world to the client and back until there are none.
    private mutating func settle(_ tell: (Instant, HeartRateCollector.Saying) -> Void) {
        while !outbox.isEmpty || !world.outbox.isEmpty {
            let wanted = outbox
            outbox.removeAll(keepingCapacity: true)
            for output in wanted {
                switch output {
                case .command(let command): world.command(command, of: node)
                case .wake(let due): wakes.append(due)
                case .said(let saying):
                    if case .heartRate = saying.content { measurements += 1 }
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
    }
}
