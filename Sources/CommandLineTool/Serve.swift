import Arguments
import GATT
import Scenarios
import Simulation
import Sockets
import VirtualWorld

private let controllerOption = Arguments.Grammar.Option.option(
    "--controller", "ADDRESS", repeatable: true,
    "offer a virtual controller to hosts outside: tcp:HOST:PORT or unix:PATH (default tcp:127.0.0.1:6402, or the next free)"
)

let serveGrammar = Arguments.Grammar(
    "serve", "be the scenario's devices", operands: [.required("SCENARIO", "a scenario file")],
    options: scenarioOptions + [
        controllerOption, .option("--speed", "X", "play X times as fast as the clock on the wall"),
    ])

let controllerGrammar = Arguments.Grammar(
    "controller", "virtual controllers for hosts outside, all in one air",
    options: [
        .option("--listen", "ADDRESS", repeatable: true, "tcp:HOST:PORT or unix:PATH"),
        .option("--seed", "N|random", "what chance comes from"), .option("--for", "DURATION", "stop after so long"),
        .option("--trace", "FILE", "write every HCI packet as btsnoop"),
    ])

func serve(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let played = try Played(invocation.operands.first ?? "", invocation)
    let speed: Double
    do throws(UsageError) {
        speed =
            try invocation.value("--speed", as: "a number above 0") { Double($0).flatMap { $0 > 0 ? $0 : nil } } ?? 1
    } catch { throw CommandFailure(error) }
    let addresses = try read(invocation.texts("--controller"))
    return try offer(played, addresses, speed: speed, limit: invocation.has("--for") ? played.scenario.limit : nil)
}

func controller(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let addresses = try read(invocation.texts("--listen"))
    guard !addresses.isEmpty else {
        throw CommandFailure(.usage, "lubdub: controller needs --listen, as in --listen tcp:127.0.0.1:6402")
    }
    let played = try Played(empty: invocation)
    return try offer(played, addresses, speed: 1, limit: invocation.has("--for") ? played.scenario.limit : nil)
}

private func read(_ texts: [String]) throws(CommandFailure) -> [StreamAddress] {
    var addresses: [StreamAddress] = []
    for text in texts {
        do throws(StreamAddress.Unreadable) { addresses.append(try StreamAddress(text)) } catch {
            throw CommandFailure(.usage, "lubdub: \(error)")
        }
    }
    return addresses
}

/// The port that rootcanal made customary, and how many behind it are tried.
private let customaryPorts = 6402...6411

/// Plays a world in real time until a signal comes or the limit has passed.
private func offer(
    _ played: Played, _ addresses: [StreamAddress], speed: Double, limit: Duration?
) throws(CommandFailure) -> ExitCode {
    var world: World
    do throws(AttributeTable.DefinitionError) {
        world = try World(played.scenario, seed: played.seed)
    } catch { throw CommandFailure(.usage, "\(played.path): its services have no room for their attributes: \(error)") }
    let files = try LogFiles(played, &world)
    let signals = Signals()
    let loop = EventLoop(pace: .real(speed: speed))
    let started = world
    do {
        let (ended, code) = try loop.run {
            let live = LiveWorld(started, on: loop)
            try await listen(live, addresses)
            await live.start()
            let reason = await Ending().wait(signals, on: loop, for: limit)
            let code: ExitCode = if case .signal(let number) = reason { .signal(number) } else { .success }
            return (await live.close(), code)
        }
        var world = ended
        try files.close(&world, status: code.status)
        return code
    } catch let failure as CommandFailure {
        throw failure
    } catch { throw CommandFailure(.inner, "lubdub: \(error)") }
}

private func listen(_ live: LiveWorld, _ addresses: [StreamAddress]) async throws {
    for address in addresses {
        do { Console.print("controller \(try await live.offer(address))") } catch {
            throw CommandFailure(.environment, "lubdub: \(error)")
        }
    }
    guard addresses.isEmpty else { return }
    for port in customaryPorts {
        guard let address = try? await live.offer(StreamAddress("tcp:127.0.0.1:\(port)")) else { continue }
        Console.print("controller \(address)")
        Console.complain("hear it from a second terminal: lubdub monitor --radio hci:\(address)")
        return
    }
    throw CommandFailure(
        .environment,
        "lubdub: the ports \(customaryPorts.lowerBound) to \(customaryPorts.upperBound) of 127.0.0.1 are in use; "
            + "name another with --controller tcp:127.0.0.1:0")
}
