import Arguments
import Expectations
import Scenarios
import Simulation
import Sockets
import Spelling
import VirtualWorld

/// What came of a case that a client outside played.
struct ClientCourse {
    let world: World
    let record: ClientRecord
    let judgement: Judgement
    let code: ExitCode
    /// How long this machine stood still, if that kept something from being decided; nil too when it was interrupted.
    let standstill: Duration?
}

/// Plays a scenario to a client outside, and judges it; once more when this machine was too slow to judge it.
func run(_ client: String, _ played: Played, _ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    guard played.speed ?? .real(1) == .real(1) else {
        throw CommandFailure(.usage, "lubdub: a client outside lives in real time: leave out --speed, or --client")
    }
    let paint = try Paint(invocation, for: Console.descriptor)
    let unplayed = played.scenario.unplayed(on: .virtual)
    guard unplayed.isEmpty else {
        for (rule, why) in unplayed {
            let kind = played.scenario.script[rule].action.kind.rawValue
            Console.print("\(paint("skip", .warning))  script[\(rule)], \(kind): \(why)")
        }
        return .environment
    }
    let verbosity = try Verbosity(invocation)
    let narrator = try Narrator(ifVerbose: invocation)
    var said: StreamAddress?
    if let text = invocation.text("--said") {
        do throws(StreamAddress.Unreadable) { said = try StreamAddress(text) } catch {
            throw CommandFailure(.usage, "lubdub: --said: \(error)")
        }
    }
    func play() throws(CommandFailure) -> ClientCourse {
        try perform(played, client, said, narrator, isQuiet: verbosity == .quiet) { instant, line in
            if verbosity > .quiet { Console.print("\(paint("\(instant)", .quiet))  \(line.json.brief)") }
        }
    }
    var course = try play()
    if let standstill = course.standstill {
        Console.complain("lubdub: this machine stood still for \(standstill): the case is played once more")
        course = try play()
    }
    let (count, end) = (course.record.measurements, course.world.now.sinceStart)
    Console.print("\(count) measurement\(count == 1 ? "" : "s") in \(end)")
    if course.record.textLeftOut > 0 {
        Console.complain("lubdub: \(course.record.textLeftOut) lines that are no JSON are not in the log")
    }
    for line in course.judgement.lines(paint) { Console.print(line) }
    if let code = course.judgement.code, code != .success { Console.print("replay: \(played.replay)") }
    return course.code
}

/// Plays a scenario once to a client outside.
private func perform(
    _ played: Played, _ command: String, _ said: StreamAddress?, _ narrator: Narrator?, isQuiet: Bool,
    _ tell: @escaping @Sendable (Instant, ClientLine) -> Void
) throws(CommandFailure) -> ClientCourse {
    var started = try played.world()
    let files = try LogFiles(played, &started, narrator, source: contents(of: played.path) ?? [])
    let limit = Instant.start.advanced(by: played.scenario.limit)
    let signals = Signals()
    let loop = EventLoop(pace: .real())
    do {
        let (ended, record, reason) = try loop.run { [started] in
            let ending = Ending()
            let live = LiveWorld(started, files, on: loop, ending, .quiet, limits: { _ in nil })
            await live.judge(until: limit)
            let address = try await live.offer(StreamAddress("tcp:127.0.0.1:0"))
            Console.print("controller \(address)")
            var socket: SaidSocket?
            if let said {
                let listener = SaidSocket(on: loop)
                Console.print("said \(try await listener.open(at: said))")
                socket = listener
            }
            let process = try ClientProcess(
                command, environment(of: played, controller: address), isSilent: isQuiet)
            let client = ClientCase(process, live, socket, ending, tell: tell)
            await client.start()
            let reason = await ending.wait(signals, on: loop, for: nil)
            await live.stop()
            let record = await client.end(signals)
            return (await live.close(signals), record, reason)
        }
        var world = ended
        complain(ofRunaways: world)
        world.endJudging()
        let judgement = Judgement(world, isStrict: played.isStrict, client: record)
        let measured: ExitCode = record.measurements > 0 ? .success : .failure
        let code = try files.close(&world, reason.code ?? judgement.code ?? measured)
        let standstill = reason.code == nil && record.fault == nil ? world.rulings.compactMap(\.standstill).max() : nil
        return ClientCourse(world: world, record: record, judgement: judgement, code: code, standstill: standstill)
    } catch let failure as CommandFailure {
        throw failure
    } catch let failure as SocketFailure {
        throw CommandFailure(.environment, "lubdub: \(failure)")
    } catch { throw CommandFailure(.inner, "lubdub: \(error)") }
}
