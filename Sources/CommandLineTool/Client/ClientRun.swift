import Arguments
import Conformance
import Expectations
import Scenarios
import Simulation
import Sockets
import Spelling
import VirtualWorld

/// A client under test: a command line that is started for each case.
struct OutsideClient: Sendable {
    private let command: String
    /// Where its host finds a controller.
    let place: ControllerPlace
    /// Where it says what its user sees, beside its standard output.
    private let said: StreamAddress?

    /// Nil when the built-in client is to be judged.
    init?(_ invocation: Invocation) throws(CommandFailure) {
        guard let command = invocation.text("--client") else { return nil }
        self.command = command
        do throws(StreamAddress.Unreadable) {
            place = try ControllerPlace(invocation.text("--controller") ?? "tcp:127.0.0.1:0")
        } catch { throw CommandFailure(.usage, "lubdub: --controller: \(error), or vhci") }
        guard let text = invocation.text("--said") else {
            said = nil
            return
        }
        do throws(StreamAddress.Unreadable) { said = try StreamAddress(text) } catch {
            throw CommandFailure(.usage, "lubdub: --said: \(error)")
        }
    }

    /// Plays a scenario once to it; what it says also goes to `tell`, and where its controller is to standard output if
    /// `tellsPlace`.
    func play(
        _ played: Played, _ narrator: Narrator?, source: [UInt8], _ signals: Signals, tellsPlace: Bool,
        isSilent: Bool, _ tell: @escaping @Sendable (Instant, ClientLine) -> Void
    ) throws(CommandFailure) -> Course {
        let unplayed = played.scenario.unplayed(on: .virtual)
        guard unplayed.isEmpty else {
            let reasons = unplayed.map { rule, why in
                "script[\(rule)], \(played.scenario.script[rule].action.kind.rawValue): \(why)"
            }
            return Course(unplayed: Outcome(.skip, title: played.scenario.name, reasons: reasons))
        }
        var started = try played.world()
        let files = try LogFiles(played, &started, narrator, source: source, isCase: true)
        var (world, record, reason) = try live(started, files, played, signals) { live, loop, ending throws in
            let controller = try await live.offer(place)
            if tellsPlace { Console.print("controller \(controller)") }
            var socket: SaidSocket?
            if let said {
                let listener = SaidSocket(on: loop)
                let place = try await listener.open(at: said)
                if tellsPlace { Console.print("said \(place)") }
                socket = listener
            }
            let process = try ClientProcess(
                command, environment(of: played, controller: controller), isSilent: isSilent)
            if place == .kernel { await live.start() }
            return ClientCase(process, live, socket, ending, tell: tell)
        }
        // The kernel plays whether or not the client could be started.
        if place == .kernel, [126, 127].contains(record.exit?.status) { record.hasPlayed = false }
        complain(ofRunaways: world, of: played.item?.id)
        world.endJudging()
        if record.textLeftOut > 0 {
            let who = played.item.map { "\($0.id): " } ?? ""
            Console.complain("lubdub: \(who)\(record.textLeftOut) lines that are no JSON are not in the log")
        }
        files.flush(&world)
        let judgement = Judgement(world, isStrict: played.isStrict, client: record, recollection: files.recollection)
        let chronicle = files.chronicle(of: &world)
        let measured: ExitCode = record.measurements > 0 ? .success : .failure
        let code = try files.close(&world, reason.code ?? judgement.code ?? measured)
        return Course(
            world, judgement, of: played, measurements: record.measurements, client: record, chronicle: chronicle,
            code: code)
    }

    /// Lets a world live until the client that `start` starts is done with it.
    private func live(
        _ world: World, _ files: LogFiles, _ played: Played, _ signals: Signals,
        start: @escaping @Sendable (LiveWorld, EventLoop, Ending) async throws -> ClientCase
    ) throws(CommandFailure) -> (World, ClientRecord, Ending.Reason) {
        let limit = Instant.start.advanced(by: played.scenario.limit)
        let loop = EventLoop(pace: .real())
        do {
            return try loop.run { [world] in
                let ending = Ending()
                let live = LiveWorld(world, files, on: loop, ending, .quiet, limits: { _ in nil })
                await live.judge(until: limit)
                let client = try await start(live, loop, ending)
                await client.start()
                let reason = await ending.wait(signals, on: loop, for: nil)
                await live.stop()
                let record = await client.end(signals)
                return (await live.close(signals), record, reason)
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch let failure as SocketFailure {
            throw CommandFailure(.environment, "lubdub: \(failure)")
        } catch { throw CommandFailure(.inner, "lubdub: \(error)") }
    }
}
